#include "adapters/formats/identity.hpp"

#include <magic.h>

namespace depositd::formats {

namespace {

constexpr std::string_view unknown = "application/octet-stream";

void close_cookie(void* cookie) {
  ::magic_close(static_cast<magic_t>(cookie));
}

caf::error failed(magic_t cookie, std::string about) {
  const auto* reason = ::magic_error(cookie);
  return caf::make_error(ec::store_failed,
                         about + ": " + (reason ? reason : "unknown"));
}

/// What libmagic calls empty files and the like is no MIME type to keep.
std::string mime_of(const char* answer) {
  std::string out = answer ? answer : "";
  const bool usable = out.find('/') != out.npos && !out.starts_with("inode/");
  return usable ? out : std::string{unknown};
}

} // namespace

mime_reader::mime_reader(void* cookie) : cookie_(cookie, &close_cookie) {
  // nop
}

caf::expected<mime_reader> mime_reader::open() {
  auto* cookie = ::magic_open(MAGIC_MIME_TYPE);
  if (cookie == nullptr)
    return caf::make_error(ec::store_failed, "libmagic cannot be opened");
  mime_reader out{cookie};
  if (::magic_load(cookie, nullptr) != 0)
    return failed(cookie, "libmagic's list of formats cannot be read");
  return out;
}

caf::expected<std::string> mime_reader::of_bytes(std::string_view first) {
  auto* cookie = static_cast<magic_t>(cookie_.get());
  if (first.empty())
    return std::string{unknown};
  const auto* answer = ::magic_buffer(cookie, first.data(), first.size());
  if (answer == nullptr)
    return failed(cookie, "libmagic");
  return mime_of(answer);
}

} // namespace depositd::formats
