#pragma once

#include <istream>
#include <string>

namespace depositd {

/// The next line without its end, whichever system wrote that: a secret of a
/// file or a pipe. Empty if the line is, or there is none.
inline std::string next_line(std::istream& in) {
  std::string out;
  std::getline(in, out);
  if (out.ends_with('\r'))
    out.pop_back();
  return out;
}

} // namespace depositd
