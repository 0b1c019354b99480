#include "adapters/stores/restoration/s3_restoration.hpp"

#include "adapters/stores/restoration/folder_restoration.hpp"
#include "messages/values/names.hpp"

#include <utility>

namespace depositd {

namespace {

class s3_restoration final : public restoration_target {
public:
  explicit s3_restoration(s3::client_options options)
    : bucket_(std::move(options)) {
    // nop
  }

  caf::error open() {
    return bucket_.check();
  }

  caf::expected<std::string> put(const std::string& user,
                                 const std::string& name,
                                 const std::filesystem::path& file) override {
    auto fault = restored_name_fault(name);
    if (!legal_user_name(user))
      fault = "is for no user";
    const auto key = user + "/" + name;
    if (key.size() > bucket_.key_bytes_left())
      fault = "is too long for a bucket";
    if (!fault.empty())
      return caf::make_error(ec::invalid_argument,
                             "\"" + name.substr(0, 200) + "\" " + fault);
    // A key has all of its bytes at once, or those that it had before.
    if (auto failure = bucket_.put_file(key, file, [](std::string_view) {}))
      return failure;
    return bucket_.title(key);
  }

private:
  s3::client bucket_;
};

} // namespace

caf::expected<std::unique_ptr<restoration_target>>
open_s3_restoration(s3::client_options options) {
  auto out = std::make_unique<s3_restoration>(std::move(options));
  if (auto failure = out->open())
    return failure;
  return out;
}

} // namespace depositd
