#pragma once

// libarchive takes names as the thread's locale has them.

#include <locale.h>

namespace depositd {

/// While it lives, names are UTF-8 for this thread, whatever the process has.
class utf8_names {
public:
  utf8_names();
  utf8_names(const utf8_names&) = delete;
  utf8_names& operator=(const utf8_names&) = delete;
  ~utf8_names();

private:
  locale_t before_;
};

} // namespace depositd
