#include "adapters/archives/utf8_names.hpp"

namespace depositd {

namespace {

/// Made once: making it reads files. Null where there is none.
locale_t utf8() {
  static const auto made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return made;
}

} // namespace

utf8_names::utf8_names() : before_(::uselocale(utf8())) {
  // nop
}

utf8_names::~utf8_names() {
  ::uselocale(before_);
}

} // namespace depositd
