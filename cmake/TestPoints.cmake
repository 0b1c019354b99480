# Sources that are compiled again with the points of messages/values/test_points.hpp.

# depositd_flagged(NAME FOLDERS folders... [WITHOUT folders...]
#                  [APART sources...] LINKS targets...)
# An object library of all sources below the folders that include
# messages/values/test_points.hpp, found at configure time. A program that lists its
# objects before the libraries gets them instead of the libraries' own. APART:
# sources that cannot be compiled as one with others.
function(depositd_flagged name)
  cmake_parse_arguments(arg "" "" "FOLDERS;WITHOUT;APART;LINKS" ${ARGN})
  set(found)
  foreach(folder ${arg_FOLDERS})
    file(GLOB_RECURSE sources "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
    foreach(without ${arg_WITHOUT})
      list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${without}/")
    endforeach()
    foreach(source ${sources})
      file(STRINGS "${source}" uses REGEX "messages/values/test_points\\.hpp")
      if(uses)
        list(APPEND found "${source}")
      endif()
    endforeach()
  endforeach()
  add_library(${name} OBJECT ${found})
  target_compile_definitions(${name} PRIVATE DEPOSITD_TEST_POINTS)
  # Stopped and broken, never measured.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name} PUBLIC depositd_options ${arg_LINKS})
  depositd_precompile(${name})
  if(DEPOSITD_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
    foreach(source ${arg_APART})
      set_source_files_properties("${PROJECT_SOURCE_DIR}/${source}" PROPERTIES
                                  SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endif()
endfunction()
