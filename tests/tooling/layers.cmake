# An include against the order of the folders must not compile: privacy/ may not see engine/.
file(WRITE ${build}/layers-test.cpp "#include \"tailcoat/engine/lattice.hpp\"\n")
execute_process(
  COMMAND ${compiler} -std=c++20 -fsyntax-only -I${build}/layers/base -I${build}/layers/privacy ${build}/layers-test.cpp
  RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status OR NOT output MATCHES "tailcoat/engine/lattice.hpp: No such file")
  message(FATAL_ERROR "privacy/ can include engine/: ${output}")
endif()

# No folder names a folder below it in its CMake target.
set(order base privacy noise data losses domains engine mechanisms algorithms estimators report)
foreach(folder IN LISTS order)
  list(FIND order ${folder} place)
  file(GLOB files ${source}/tailcoat/${folder}/*.hpp ${source}/tailcoat/${folder}/*.cpp
    ${source}/tailcoat/${folder}/*/*.hpp ${source}/tailcoat/${folder}/*/*.cpp)
  foreach(file IN LISTS files)
    file(STRINGS ${file} includes REGEX "^#include \"tailcoat/")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE ".*\"tailcoat/([a-z]+)/.*" "\\1" included "${include}")
      list(FIND order ${included} included_place)
      if(included_place LESS 0 OR included_place GREATER place)
        message(FATAL_ERROR "${file}: ${include} goes against the order of the folders")
      endif()
    endforeach()
  endforeach()
endforeach()
