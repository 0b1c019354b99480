# Writes OUT.hpp and OUT.cpp, which hold FILES (separated by |); see
# EmbedFiles.cmake. Needs gzip, which every Debian has.

set(type_of_html "text/html; charset=utf-8")
set(type_of_js "text/javascript; charset=utf-8")
set(type_of_css "text/css; charset=utf-8")
set(type_of_svg "image/svg+xml")
set(type_of_png "image/png")
set(type_of_yaml "application/yaml")

# The bytes of a file as an array.
function(array_of file to_name)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  # The compiler would not take one line of a megabyte kindly.
  string(REPEAT "." 75 line)
  string(REGEX REPLACE "(${line})" "\\1\n" hex "${hex}")
  set(${to_name} "${hex}" PARENT_SCOPE)
endfunction()

string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(file ${FILES})
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION LAST_ONLY ending)
  string(SUBSTRING "${ending}" 1 -1 ending)
  if(NOT DEFINED type_of_${ending})
    message(FATAL_ERROR "${file}: nobody knows the media type of .${ending}")
  endif()
  set(packed "${OUT}.${number}.gz")
  execute_process(COMMAND gzip -9nc "${file}" OUTPUT_FILE "${packed}"
                  COMMAND_ERROR_IS_FATAL ANY)
  array_of("${file}" plain_bytes)
  array_of("${packed}" packed_bytes)
  file(REMOVE "${packed}")
  file(SHA256 "${file}" digest)
  string(SUBSTRING "${digest}" 0 32 digest)
  string(APPEND arrays
         "const unsigned char plain_${number}[] = {\n${plain_bytes}};\n"
         "const unsigned char packed_${number}[] = {\n${packed_bytes}};\n")
  string(APPEND rows
         "    {\"${name}\", \"${type_of_${ending}}\", \"\\\"${digest}\\\"\",\n"
         "     text_of(plain_${number}), text_of(packed_${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE "${OUT}.hpp" "#pragma once

// Made by cmake/embed_files.cmake.

#include \"adapters/doors/http/page_files.hpp\"

#include <vector>

namespace depositd {

using http::embedded_file;

/// The files, as long as the program runs.
const std::vector<embedded_file>& ${NAME}();

} // namespace depositd
")
file(WRITE "${OUT}.cpp" "#include \"embedded/${NAME}.hpp\"

namespace depositd {

namespace {

template <std::size_t Size>
std::string_view text_of(const unsigned char (&from)[Size]) {
  return {reinterpret_cast<const char*>(from), Size};
}

${arrays}
} // namespace

const std::vector<embedded_file>& ${NAME}() {
  static const std::vector<embedded_file> out{
${rows}  };
  return out;
}

} // namespace depositd
")
