#include "adapters/archives/composed.hpp"

#include "messages/values/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <uninorm.h>

namespace depositd {

std::string composed(std::string_view path) {
  if (std::all_of(path.begin(), path.end(),
                  [](unsigned char c) { return c < 0x80; }))
    return std::string{path};
  // The library would make other characters of what are none, and a name that
  // must be refused would look like one that may be there.
  if (find_invalid_utf8(path) != path.npos)
    return std::string{path};
  std::size_t size = 0;
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> out{
    u8_normalize(UNINORM_NFC,
                 reinterpret_cast<const std::uint8_t*>(path.data()),
                 path.size(), nullptr, &size),
    &std::free};
  return out ? std::string{reinterpret_cast<const char*>(out.get()), size}
             : std::string{path};
}

} // namespace depositd
