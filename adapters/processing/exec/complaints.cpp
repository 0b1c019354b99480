#include "adapters/processing/exec/complaints.hpp"

#include "messages/values/utf8.hpp"

#include <algorithm>

namespace depositd::exec {

std::string note_of(std::string_view complaints) {
  std::string out;
  while (!complaints.empty()) {
    const auto next = first_character(complaints);
    const auto first = static_cast<unsigned char>(complaints.front());
    if (next.bytes == 0)
      out += '?';
    else if (first == '\n' || first == '\t')
      out += ' ';
    else if (first >= 0x20 && first != 0x7f)
      out += complaints.substr(0, next.bytes);
    complaints.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
  if (out.size() <= note_bytes_max)
    return out;
  out.erase(0, out.size() - note_bytes_max);
  while (!out.empty() && first_character(out).bytes == 0)
    out.erase(0, 1); // the rest of a character
  return out;
}

} // namespace depositd::exec
