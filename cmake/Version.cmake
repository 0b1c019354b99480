# DEPOSITD_RELEASE and DEPOSITD_VERSION_TEXT, from VERSION and git:
#   1.2.0               the commit with the tag v1.2.0, or no git
#   1.2.0+7.gCOMMIT     seven commits after it
#   1.2.0-dev.70+gCOMMIT  before there is that tag; 70 commits in all
# As a script, prints the text: cmake -P cmake/Version.cmake

get_filename_component(depositd_root "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
file(STRINGS "${depositd_root}/VERSION" DEPOSITD_RELEASE LIMIT_COUNT 1)
if(NOT DEPOSITD_RELEASE MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
  message(FATAL_ERROR "VERSION: \"${DEPOSITD_RELEASE}\" is not MAJOR.MINOR.PATCH")
endif()

# depositd_git(OUT ARGUMENTS...): what git says, or nothing.
function(depositd_git out)
  execute_process(
    COMMAND git -C "${depositd_root}" ${ARGN}
    OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(said "")
  endif()
  set(${out} "${said}" PARENT_SCOPE)
endfunction()

function(depositd_version_text out)
  set(${out} "${DEPOSITD_RELEASE}" PARENT_SCOPE)
  # Without git, in a folder of somebody else's repository, or where the history
  # is cut off, it is what the file says.
  depositd_git(top rev-parse --show-toplevel)
  depositd_git(cut rev-parse --is-shallow-repository)
  if(NOT top STREQUAL depositd_root OR NOT cut STREQUAL "false")
    return()
  endif()
  depositd_git(commit rev-parse --short=12 HEAD)
  set(tag "refs/tags/v${DEPOSITD_RELEASE}")
  depositd_git(released rev-parse --verify --quiet "${tag}^{commit}")
  if(released)
    depositd_git(count rev-list --count "${released}..HEAD")
    if(count GREATER 0)
      set(${out} "${DEPOSITD_RELEASE}+${count}.g${commit}" PARENT_SCOPE)
    endif()
  elseif(commit)
    depositd_git(count rev-list --count HEAD)
    set(${out} "${DEPOSITD_RELEASE}-dev.${count}+g${commit}" PARENT_SCOPE)
  endif()
endfunction()

depositd_version_text(DEPOSITD_VERSION_TEXT)
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${DEPOSITD_VERSION_TEXT}")
endif()
