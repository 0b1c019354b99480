# How every target of depositd is compiled, in one place.

add_library(depositd_options INTERFACE)
target_compile_options(
  depositd_options
  INTERFACE -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers
            # GCC 12 sees moved-from variants as uninitialised at -O3.
            -Wno-maybe-uninitialized)
# GCC 12 sees an impossible overlap in "text" + std::string (its bug 105651).
target_compile_options(
  depositd_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                             $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
                             $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
                             $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
target_compile_definitions(depositd_options INTERFACE CAF_ENABLE_TYPE_ID_CHECKS)
# Precompiled headers have the logger's, so all have to see it alike.
foreach(logger spdlog::spdlog fmt::fmt)
  target_compile_definitions(
    depositd_options
    INTERFACE $<TARGET_PROPERTY:${logger},INTERFACE_COMPILE_DEFINITIONS>)
endforeach()
# GCC looks for what it can forget each time its memory has doubled, which takes a
# tenth of the time of our sources: not below 1.5 GB (scripts/build counts 2.5 GB
# a compiler).
target_compile_options(
  depositd_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:SHELL:--param=ggc-min-heapsize=1500000>)

target_include_directories(depositd_options INTERFACE "${PROJECT_SOURCE_DIR}")

# CAF's and third-party headers are not ours to mend.
target_include_directories(depositd_options SYSTEM INTERFACE /usr/include/libxml2)

if(DEPOSITD_SANITIZE)
  # vptr and null: CAF 0.17.6 spawns through a null reference, and its library
  # is not instrumented.
  set(sanitize -fsanitize=address,undefined -fno-sanitize=null,vptr
               -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(depositd_options INTERFACE ${sanitize})
  target_link_options(depositd_options INTERFACE ${sanitize})
endif()

if(DEPOSITD_GUIDED)
  # What was passed, and what was compared: tests/fuzz/guided.cpp.
  target_compile_options(depositd_options
                         INTERFACE -fsanitize-coverage=trace-pc,trace-cmp)
endif()

if(DEPOSITD_THREADS)
  # -Wno-tsan: fences, which it does not know, are in headers of others.
  set(watch -fsanitize=thread -fno-omit-frame-pointer -g1)
  target_compile_options(depositd_options INTERFACE ${watch} -O1 -Wno-tsan)
  target_link_options(depositd_options INTERFACE ${watch})
endif()

# depositd_library(NAME [COLD] SOURCES... [APART sources...] [LINKS targets...])
# A library of one folder. APART: sources whose names in `namespace {}` are those
# of others of the folder. COLD: no item passes here, or each waits for somebody
# else: compiled in three quarters of the time, a little slower when run.
function(depositd_library name)
  cmake_parse_arguments(arg "COLD" "" "SOURCES;APART;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES} ${arg_APART})
  if(arg_COLD)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_link_libraries(${name} PUBLIC depositd_options ${arg_LINKS})
  depositd_precompile(${name})
  depositd_at_once(${name} ${arg_APART})
endfunction()

# depositd_at_once(NAME [sources that are not...])
# What files include takes most of a build: eight of them are compiled as one.
# Those that test programs have instead of the library's (TestPoints) are
# compiled with each other only, so that nobody needs the library's.
function(depositd_at_once name)
  if(NOT DEPOSITD_UNITY)
    return()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE
                                           GROUP)
  get_target_property(sources ${name} SOURCES)
  list(REMOVE_ITEM sources ${ARGN})
  set(plain_count 0)
  set(flagged_count 0)
  foreach(source ${sources})
    set(kind plain)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
      file(STRINGS "${source}" uses REGEX "messages/values/test_points\\.hpp")
      if(uses)
        set(kind flagged)
      endif()
      math(EXPR batch "${${kind}_count} / 8")
      math(EXPR ${kind}_count "${${kind}_count} + 1")
      set_source_files_properties(
        "${source}" PROPERTIES UNITY_GROUP "${kind}_${batch}")
    endif()
  endforeach()
  target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
endfunction()

# depositd_program(NAME SOURCES... [LINKS targets...])
function(depositd_program name)
  depositd_executable(${name} ${ARGN})
  depositd_precompile(${name})
endfunction()

# The same, with no headers precompiled yet.
function(depositd_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(DEPOSITD_THREADS)
    # Before CAF, whose functions it stands in for.
    target_link_options(
      ${name} PRIVATE "LINKER:--push-state,--no-as-needed"
      "$<TARGET_FILE:depositd_caf_hand_over>" "LINKER:--pop-state")
    target_link_libraries(${name} PRIVATE depositd_caf_hand_over)
  endif()
  target_link_libraries(${name} PRIVATE depositd_options ${arg_LINKS})
endfunction()

# depositd_time_limit(TEST seconds)
# Seconds are those of a quiet machine. A busy one must not fail a test: what
# hangs is found a little later.
function(depositd_time_limit test seconds)
  math(EXPR limit "${seconds} * 3")
  # CTest begins with what may take longest, so that nothing long is left to
  # the end.
  set_tests_properties(${test} PROPERTIES TIMEOUT ${limit} COST ${seconds})
endfunction()

function(depositd_unoptimised name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# depositd_test(NAME SOURCES... [LINKS targets...] [TIMEOUT seconds]
#               [LABELS labels...])
# One GoogleTest program, one CTest case.
function(depositd_test name)
  cmake_parse_arguments(arg "APART" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  depositd_executable(${name} SOURCES ${arg_SOURCES} LINKS ${arg_LINKS}
                      GTest::gtest GTest::gtest_main)
  set_target_properties(
    ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  # What is tested is compiled as it is delivered; the test itself need not be,
  # which saves half of its time. Precompiled headers only serve who compiles as
  # they were compiled, so tests have their own.
  depositd_unoptimised(${name})
  if(DEPOSITD_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM depositd_tests_precompiled)
  endif()
  # What its files include takes most of their time: compiled as one, but for
  # those whose names do not agree.
  if(NOT arg_APART)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  depositd_time_limit(${name} ${arg_TIMEOUT})
  if(arg_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
  endif()
endfunction()

# Once more, in one thread with the actors.
function(depositd_test_in_actor_loop name)
  add_test(NAME ${name}_in_actor_loop COMMAND ${name})
  get_test_property(${name} TIMEOUT limit)
  set_tests_properties(
    ${name}_in_actor_loop
    PROPERTIES ENVIRONMENT DEPOSITD_TEST_ACTOR_LOOP=1 TIMEOUT ${limit})
endfunction()

# Headers of others cost 6 to 10 s of each source that includes CAF's, 2 to 4 s of
# others: they are compiled once, for what is delivered in `messages`, for tests
# in `tests`.
function(depositd_precompile name)
  if(DEPOSITD_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM depositd_precompiled)
  endif()
endfunction()

# depositd_precompiled_headers(NAME [more headers...])
function(depositd_precompiled_headers name)
  if(DEPOSITD_PRECOMPILE)
    target_precompile_headers(
      ${name}
      PRIVATE
      <caf/all.hpp>
      <caf/io/all.hpp>
      <nlohmann/json.hpp>
      <spdlog/spdlog.h>
      "${PROJECT_SOURCE_DIR}/messages/compiled/formatting.hpp"
      <algorithm>
      <array>
      <charconv>
      <chrono>
      <filesystem>
      <fstream>
      <functional>
      <map>
      <memory>
      <mutex>
      <optional>
      <set>
      <sstream>
      <string>
      <thread>
      <unordered_map>
      <unordered_set>
      <variant>
      <vector>
      "${PROJECT_SOURCE_DIR}/messages/id_block.hpp"
      ${ARGN})
    depositd_early_templates_in(${name})
  endif()
endfunction()
