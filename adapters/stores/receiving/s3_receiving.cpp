#include "adapters/stores/receiving/s3_receiving.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/receiving/passed_over.hpp"
#include "messages/values/time_text.hpp"

#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/uio.h>

namespace depositd {

namespace {

class s3_receiving final : public receiving_place {
public:
  explicit s3_receiving(s3::client_options options)
    : bucket_(std::move(options)) {
    // nop
  }

  caf::error check() {
    return bucket_.check();
  }

  caf::error
  each(const std::function<caf::error(const received_bag&)>& take) override {
    std::vector<std::string> others;
    auto failure = bucket_.each("", [&](const s3::listed& x) {
      if (legal_bag_name(x.key))
        return take(bag_of(x));
      passed_over_names::add(others, x.key);
      return caf::error{};
    });
    if (!failure)
      passed_over_.set(std::move(others));
    return failure;
  }

  std::vector<std::string> passed_over() override {
    return passed_over_.get();
  }

  caf::expected<received_bag> look(const std::string& name) override {
    auto found = bucket_.facts_of(name);
    if (!found)
      return std::move(found.error());
    return bag_of(*found);
  }

  std::optional<std::filesystem::path> path_of(const std::string&) override {
    return std::nullopt;
  }

  caf::error fetch(const std::string& name,
                   const std::filesystem::path& to) override {
    const auto bag = look(name);
    if (!bag)
      return bag.error();
    const auto file = open_file(to, O_WRONLY | O_CREAT | O_EXCL);
    if (!file)
      return file.error();
    auto failure = fetch_bytes(*bag, *file, to);
    std::error_code ignored;
    if (failure)
      std::filesystem::remove(to, ignored);
    return failure;
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    const auto found = look(name);
    if (!found && found.error() == ec::not_found)
      return true;
    if (!found)
      return found.error();
    if (found->etag != etag)
      return false;
    // A bag that comes in between is kept where the server looks at the tag
    // again. Where it does not, only versions of the bucket's own keep it.
    return bucket_.remove_if(name, etag);
  }

private:
  /// The server is somebody else's: there may be no end to what it sends.
  caf::error fetch_bytes(const received_bag& bag, const unique_fd& file,
                         const std::filesystem::path& to) {
    std::uint64_t at = 0;
    auto failure = bucket_.read(bag.name, [&](std::string_view bytes) {
      if (bytes.size() > bag.bytes - at)
        return caf::make_error(ec::store_failed,
                               bag.name + " comes with more than the "
                                 + std::to_string(bag.bytes)
                                 + " bytes that it has");
      iovec part{const_cast<char*>(bytes.data()), bytes.size()};
      if (const auto code = system_disk().write(file.value(), {&part, 1}, at))
        return file_failed("write", to, code);
      at += bytes.size();
      return caf::error{};
    });
    if (failure)
      return failure;
    const auto code = system_disk().sync(file.value());
    return code == 0 ? caf::error{} : file_failed("sync", to, code);
  }

  static received_bag bag_of(const s3::listed& x) {
    received_bag out{x.key, x.etag, x.bytes};
    if (const auto at = parse_utc(x.modified); at && !x.modified.empty())
      out.modified_us = *at;
    return out;
  }

  s3::client bucket_;
  passed_over_names passed_over_;
};

} // namespace

caf::expected<std::unique_ptr<receiving_place>>
open_s3_receiving(s3::client_options options) {
  auto out = std::make_unique<s3_receiving>(std::move(options));
  if (auto failure = out->check())
    return failure;
  return std::unique_ptr<receiving_place>{std::move(out)};
}

} // namespace depositd
