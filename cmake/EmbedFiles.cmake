# depositd_embed(TARGET NAME files...)
# Makes files part of a library: the header embedded/NAME.hpp declares
# `depositd::NAME()`, all of them, each under its name without folders, as it is
# and as gzip packs it (adapters/doors/http/page_files.hpp). Files are of the
# folder of the target, or absolute where a package of Debian has them.
function(depositd_embed target name)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}")
  set(files "")
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file)
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "${file} is not there; scripts/setup installs it")
    endif()
    list(APPEND files "${file}")
  endforeach()
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake")
  # A list would fall apart on its way through the command line.
  string(REPLACE ";" "|" joined "${files}")
  add_custom_command(
    OUTPUT "${out}.cpp" "${out}.hpp"
    COMMAND "${CMAKE_COMMAND}" "-DNAME=${name}" "-DOUT=${out}"
            "-DFILES=${joined}" -P "${script}"
    DEPENDS ${files} "${script}"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}.cpp" "${out}.hpp")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
  set_source_files_properties(
    "${out}.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                            SKIP_PRECOMPILE_HEADERS ON)
endfunction()
