#include "messages/values/trace_context.hpp"

#include <cstddef>

namespace depositd {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// Takes so many digits and what must follow them; not all zeros if `real`.
bool take_number(std::string_view& from, std::size_t size,
                 std::string_view end, bool real) {
  const auto number = from.substr(0, size);
  if (number.size() != size
      || number.find_first_not_of(digits) != std::string_view::npos
      || (real && number.find_first_not_of('0') == std::string_view::npos))
    return false;
  from.remove_prefix(size);
  if (!from.starts_with(end))
    return false;
  from.remove_prefix(end.size());
  return true;
}

} // namespace

bool legal_traceparent(std::string_view x) {
  return x.starts_with("00-") && take_number(x, 2, "-", false)
         && take_number(x, 32, "-", true) && take_number(x, 16, "-", true)
         && take_number(x, 2, "", false) && x.empty();
}

} // namespace depositd
