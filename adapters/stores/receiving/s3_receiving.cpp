#include "adapters/stores/receiving/s3_receiving.hpp"

#include "adapters/stores/receiving/passed_over.hpp"
#include "messages/values/time_text.hpp"

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
    return bucket_.get_file(name, to, {});
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
