# tailcoat_folder(NAME SOURCES ... [FOLDERS ...] [LIBRARIES ...])
#
# One library per folder of tailcoat/. Each sees only its own headers and those of the folders it names in
# FOLDERS (and theirs): every folder has a private include root in the build tree that holds a link to that folder
# alone, so an include against the order of docs/architecture.md does not compile.

add_library(tailcoat_flags INTERFACE)
target_compile_options(tailcoat_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  -ffp-contract=off -fno-fast-math)
if(TAILCOAT_SANITIZE)
  target_compile_options(tailcoat_flags INTERFACE -fsanitize=${TAILCOAT_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -O1 -Wno-maybe-uninitialized)  # GCC 12 sees false ones in instrumented code
  target_link_options(tailcoat_flags INTERFACE -fsanitize=${TAILCOAT_SANITIZE})
endif()

function(tailcoat_folder name)
  cmake_parse_arguments(arg "" "" "SOURCES;FOLDERS;LIBRARIES" ${ARGN})
  set(root ${PROJECT_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${root}/tailcoat)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tailcoat/${name} ${root}/tailcoat/${name} SYMBOLIC)

  list(TRANSFORM arg_FOLDERS PREPEND tailcoat_)
  add_library(tailcoat_${name} STATIC ${arg_SOURCES})
  target_include_directories(tailcoat_${name} PUBLIC ${root})
  target_link_libraries(tailcoat_${name} PUBLIC ${arg_FOLDERS} PRIVATE tailcoat_flags ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY TAILCOAT_FOLDERS ${name})
endfunction()
