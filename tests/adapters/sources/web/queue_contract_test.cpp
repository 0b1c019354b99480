// A queue under the contract that all sources obey.

#include "adapters/sources/web/queue_reader.hpp"
#include "tests/adapters/sources/web/fake_queue.hpp"
#include "tests/contract/source_reader_suite.hpp"

namespace depositd {

namespace {

class queue_driver final : public source_driver {
public:
  std::unique_ptr<source_reader> open(const fields& x) override {
    auto settings = sources::web_source(source_kind::queue, queue_.url());
    settings.key = x.key;
    settings.user_field = x.user_field;
    return sources::opened(
      sources::make_queue_reader("src", settings, sources::web_context()));
  }

  void put(int number) override {
    queue_.add(key_of(number), R"({"k":")" + field_key_of(number) + R"(","u":")"
                                 + field_user_of(number) + "\"}");
  }

  void put_bad(int number) override {
    queue_.add(key_of(number), '"' + std::string(2'000, 'x') + '"');
  }

  std::string key_of(int number) const override {
    return "id-" + std::to_string(number);
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
    queue_.refuse_with(sources::scripted_server::response(
      "503 Service Unavailable", "", "not now"));
  }

  void mend() override {
    queue_.refuse_with({});
  }

  bool hold_up() override {
    queue_.held_up.close();
    return true;
  }

  void await_waiting() override {
    queue_.held_up.await_waiting();
  }

  void let_go() override {
    queue_.held_up.open();
  }

  bool has_cursor() const override {
    return false;
  }

private:
  sources::fake_queue queue_;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(web, source_reader_suite,
                         ::testing::Values(source_candidate{
                           "queue",
                           [] { return std::make_unique<queue_driver>(); }}),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
