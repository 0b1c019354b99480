// S3 under the contract that all sources obey.

#include "adapters/sources/web/s3_reader.hpp"
#include "tests/adapters/sources/web/web_sources.hpp"
#include "tests/contract/source_reader_suite.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/s3_server.hpp"

namespace depositd {

namespace {

class s3_driver final : public source_driver {
public:
  std::unique_ptr<source_reader> open(const fields& x) override {
    auto settings = sources::web_source(source_kind::s3);
    settings.from.endpoint =
      "http://127.0.0.1:" + std::to_string(proxy_.port());
    settings.from.bucket = place_.place.bucket;
    settings.from.prefix = place_.place.prefix + "/";
    settings.key = x.key;
    settings.user_field = x.user_field;
    keys_.name_in(settings.from);
    auto context = sources::web_context();
    context.body_bytes_max = 300;
    return sources::opened(sources::make_s3_reader("src", settings, context));
  }

  /// As large as its number.
  void put(int number) override {
    store(name_of(number), static_cast<std::size_t>(number));
  }

  /// With a key that makes its body too large.
  void put_bad(int number) override {
    store(name_of(number) + "/" + std::string(200, 'x') + "/"
            + std::string(200, 'y'),
          1);
  }

  std::string key_of(int number) const override {
    return place_.place.prefix + "/" + name_of(number);
  }

  fields field_names() const override {
    return {"size", "bucket"};
  }

  std::string field_key_of(int number) const override {
    return std::to_string(number);
  }

  std::string field_user_of(int) const override {
    return place_.place.bucket;
  }

  void spoil() override {
    keys_.spoil();
  }

  void mend() override {
    keys_.mend();
  }

  bool hold_up() override {
    proxy_.swallow(true);
    return true;
  }

  void await_waiting() override {
    proxy_.await_swallowed();
  }

  void let_go() override {
    proxy_.swallow(false);
  }

private:
  /// In the order of numbers, which are small.
  static std::string name_of(int number) {
    return "object-" + std::to_string(100 + number);
  }

  void store(const std::string& name, std::size_t bytes) {
    const auto error = bucket_.put(name, std::string(bytes, 'x'));
    EXPECT_FALSE(error) << render(error);
  }

  cutting_proxy proxy_{shared_s3().number()};
  s3::client_options place_ = shared_s3().options();
  s3::client bucket_{place_};
  sources::key_files keys_;
};

std::vector<source_candidate> s3_source_candidates() {
  if (!s3_installed())
    return {};
  return {{"s3", [] { return std::make_unique<s3_driver>(); }}};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(server, source_reader_suite,
                         ::testing::ValuesIn(s3_source_candidates()),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
