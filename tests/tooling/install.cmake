# Installs into a fresh prefix and builds the README's C++ example against it with find_package, as a stranger would.
set(work ${build}/install-test)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/consumer)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
if(EXISTS ${work}/prefix/include/tailcoat/privacy/sensitive_key.hpp)
  message(FATAL_ERROR "the key to Sensitive values was installed")
endif()

file(READ ${source}/README.md readme)
if(NOT readme MATCHES "```cpp\n([^`]+)```")
  message(FATAL_ERROR "README.md has no C++ example")
endif()
file(WRITE ${work}/consumer/main.cpp "${CMAKE_MATCH_1}")
file(WRITE ${work}/consumer/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(tailcoat REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE tailcoat::tailcoat)
")
run(${CMAKE_COMMAND} -S ${work}/consumer -B ${work}/consumer/build -G Ninja -DCMAKE_PREFIX_PATH=${work}/prefix
  -DCMAKE_CXX_COMPILER=${compiler})
run(${CMAKE_COMMAND} --build ${work}/consumer/build)
run(${work}/consumer/build/consumer)
run(${work}/prefix/bin/tailcoat --version)

foreach(page share/man/man1/tailcoat.1 share/bash-completion/completions/tailcoat share/zsh/site-functions/_tailcoat
    share/fish/vendor_completions.d/tailcoat.fish)
  file(SIZE ${work}/prefix/${page} size)
  if(size EQUAL 0)
    message(FATAL_ERROR "${page} is empty")
  endif()
endforeach()
