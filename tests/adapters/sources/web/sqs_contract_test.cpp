// SQS under the contract that all sources obey.

#include "adapters/sources/web/sqs_reader.hpp"
#include "tests/adapters/sources/web/sqs_queue.hpp"
#include "tests/contract/source_reader_suite.hpp"
#include "tests/support/cutting_proxy.hpp"

#include <map>

namespace depositd {

namespace {

class sqs_driver final : public source_driver {
public:
  std::unique_ptr<source_reader> open(const fields& x) override {
    auto settings =
      sources::web_source(source_kind::sqs, queue_.url(proxy_.port()));
    settings.key = x.key;
    settings.user_field = x.user_field;
    keys_.name_in(settings.from);
    return sources::opened(
      sources::make_sqs_reader("src", settings, sources::web_context()));
  }

  void put(int number) override {
    ids_[number] = queue_.send(R"({"k":")" + field_key_of(number) + R"(","u":")"
                               + field_user_of(number) + "\"}");
  }

  void put_bad(int number) override {
    ids_[number] = queue_.send(std::string(2'000, 'x'));
  }

  std::string key_of(int number) const override {
    return ids_.at(number);
  }

  fields field_names() const override {
    return {"k", "u"};
  }

  std::string field_key_of(int number) const override {
    return "key-" + std::to_string(number);
  }

  std::string field_user_of(int number) const override {
    return "user-" + std::to_string(number);
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

  bool has_cursor() const override {
    return false;
  }

private:
  cutting_proxy proxy_{shared_sqs().number()};
  sources::sqs_queue queue_;
  sources::key_files keys_;
  std::map<int, std::string> ids_;
};

std::vector<source_candidate> sqs_candidates() {
  if (!sqs_installed())
    return {};
  return {{"sqs", [] { return std::make_unique<sqs_driver>(); }}};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(server, source_reader_suite,
                         ::testing::ValuesIn(sqs_candidates()),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
