# Debian ships CAF 0.17.6 without a CMake or pkg-config file.
#
# Targets: caf::core, caf::io

find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
find_library(CAF_IO_LIBRARY caf_io)

if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" caf_version_line
       REGEX "#define CAF_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" caf_version_number "${caf_version_line}")
  math(EXPR caf_major "${caf_version_number} / 10000")
  math(EXPR caf_minor "(${caf_version_number} / 100) % 100")
  math(EXPR caf_patch "${caf_version_number} % 100")
  set(CAF_VERSION "${caf_major}.${caf_minor}.${caf_patch}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CAF
  REQUIRED_VARS CAF_CORE_LIBRARY CAF_IO_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION)

if(CAF_FOUND AND NOT TARGET caf::core)
  find_package(Threads REQUIRED)
  function(caf_component name library)
    add_library(caf::${name} UNKNOWN IMPORTED)
    set_target_properties(
      caf::${name} PROPERTIES IMPORTED_LOCATION "${library}"
                              INTERFACE_INCLUDE_DIRECTORIES
                              "${CAF_INCLUDE_DIR}")
    target_link_libraries(caf::${name} INTERFACE ${ARGN})
  endfunction()
  caf_component(core "${CAF_CORE_LIBRARY}" Threads::Threads)
  caf_component(io "${CAF_IO_LIBRARY}" caf::core)
endif()
