// Sources that need no server, and topics of a Kafka that this program starts.

#include "tests/contract/source_reader_suite.hpp"

#include "adapters/logs/kafka/record_log.hpp"
#include "adapters/logs/kafka/topics.hpp"
#include "adapters/sources/kafka/kafka_reader.hpp"
#include "adapters/sources/local/exec_reader.hpp"
#include "adapters/sources/local/folder_reader.hpp"
#include "adapters/stores/files/file.hpp"
#include "tests/support/kafka_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace depositd {

namespace {

using sources::reader_context;

/// In five digits, so that they have the order of numbers.
std::string digits(int number) {
  const auto text = std::to_string(number);
  return std::string(5 - text.size(), '0') + text;
}

std::unique_ptr<source_reader>
opened(caf::expected<std::unique_ptr<source_reader>> made) {
  EXPECT_TRUE(made) << render(made.error());
  return made ? std::move(*made) : nullptr;
}

class folder_driver final : public source_driver {
public:
  folder_driver() {
    std::filesystem::create_directories(root() / "in");
  }

  std::unique_ptr<source_reader> open(const fields& x) override {
    source_settings settings;
    settings.kind = source_kind::folder;
    settings.key = x.key;
    settings.user_field = x.user_field;
    settings.from.path = root().string();
    reader_context context;
    context.body_bytes_max = 10'000;
    return opened(sources::make_folder_reader("src", settings, context));
  }

  void put(int number) override {
    std::ofstream{root() / key_of(number)} << "x";
  }

  void put_bad(int number) override {
    std::ofstream{root() / (key_of(number) + "\xff")} << "x";
  }

  std::string key_of(int number) const override {
    return "in/" + digits(number);
  }

  fields field_names() const override {
    return {"name", "directory"};
  }

  std::string field_key_of(int number) const override {
    return digits(number);
  }

  std::string field_user_of(int) const override {
    return "in";
  }

  void spoil() override {
    std::filesystem::rename(root(), folder_.path() / "away");
  }

  void mend() override {
    std::filesystem::rename(folder_.path() / "away", root());
  }

private:
  std::filesystem::path root() const {
    return folder_.path() / "root";
  }

  temporary_folder folder_;
};

/// A shell script that prints the lines of a file behind the cursor; each has
/// its number before it.
class exec_driver final : public source_driver {
public:
  exec_driver() {
    std::ofstream{file("lines")};
    std::ofstream{file("script")}
      << "cd '" << folder_.path().string() << "' || exit 1\n"
      << "if [ -e spoiled ]; then echo 'out of order' >&2; exit 3; fi\n"
      << "if [ -e pipe ]; then read -r _ < pipe; fi\n"
      << "while read -r number line; do\n"
      << "  if [ \"$number\" -gt \"${DEPOSITD_CURSOR:-0}\" ]; then\n"
      << "    printf '%s\\n' \"$line\"\n"
      << "  fi\n"
      << "done < lines\n";
  }

  std::unique_ptr<source_reader> open(const fields& x) override {
    source_settings settings;
    settings.kind = source_kind::exec;
    settings.key = x.key.empty() ? "id" : x.key;
    settings.user_field = x.user_field;
    settings.from.command = "sh '" + file("script").string() + "'";
    settings.from.cursor = "at";
    reader_context context;
    context.body_bytes_max = 10'000;
    return opened(sources::make_exec_reader("src", settings, context));
  }

  void put(int number) override {
    const auto at = std::to_string(number);
    append(number, "{\"id\":\"" + key_of(number) + "\",\"name\":\"n" + at
                     + "\",\"owner\":" + at + ",\"at\":" + at + "}");
  }

  void put_bad(int number) override {
    append(number, "Traceback (most recent call last):");
  }

  std::string key_of(int number) const override {
    return "r-" + digits(number);
  }

  fields field_names() const override {
    return {"name", "owner"};
  }

  std::string field_key_of(int number) const override {
    return "n" + std::to_string(number);
  }

  std::string field_user_of(int number) const override {
    return std::to_string(number);
  }

  void spoil() override {
    std::ofstream{file("spoiled")};
  }

  void mend() override {
    std::filesystem::remove(file("spoiled"));
  }

  bool hold_up() override {
    return ::mkfifo(file("pipe").c_str(), 0600) == 0;
  }

  void await_waiting() override {
    // Opens when somebody reads, who then gets nothing.
    auto pipe = open_file(file("pipe"), O_WRONLY);
    ASSERT_TRUE(pipe) << render(pipe.error());
    held_ = std::move(*pipe);
  }

  void let_go() override {
    std::filesystem::remove(file("pipe"));
    held_ = {};
  }

private:
  std::filesystem::path file(const char* name) const {
    return folder_.path() / name;
  }

  void append(int number, const std::string& line) {
    std::ofstream{file("lines"), std::ios::app} << number << ' ' << line
                                                << '\n';
  }

  temporary_folder folder_;
  unique_fd held_;
};

class kafka_driver final : public source_driver {
public:
  kafka_driver() {
    static int topics = 0;
    topic_ = "pulled-" + std::to_string(++topics);
    const auto made =
      make_kafka_topics(options_, {{.name = topic_, .partitions = 1}});
    EXPECT_TRUE(made) << render(made.error());
    auto sink = open_kafka_sink(options_);
    EXPECT_TRUE(sink) << render(sink.error());
    if (sink)
      sink_ = std::move(*sink);
  }

  ~kafka_driver() override {
    if (spoiled_)
      mend();
  }

  std::unique_ptr<source_reader> open(const fields& x) override {
    source_settings settings;
    settings.kind = source_kind::kafka;
    settings.key = x.key;
    settings.user_field = x.user_field;
    settings.from.topic = topic_;
    reader_context context;
    context.body_bytes_max = 10'000;
    context.kafka = options_;
    return opened(sources::make_kafka_reader("src", settings, context));
  }

  void put(int number) override {
    const auto text = std::to_string(number);
    publish(number, "{\"name\":\"n" + text + "\",\"owner\":" + text + "}");
  }

  void put_bad(int number) override {
    publish(number, "\xff");
  }

  std::string key_of(int number) const override {
    return "0-" + std::to_string(offsets_.at(number));
  }

  fields field_names() const override {
    return {"name", "owner"};
  }

  std::string field_key_of(int number) const override {
    return "n" + std::to_string(number);
  }

  std::string field_user_of(int number) const override {
    return std::to_string(number);
  }

  void spoil() override {
    spoiled_ = true;
    shared_kafka().stop();
  }

  void mend() override {
    spoiled_ = false;
    shared_kafka().start();
  }

private:
  void publish(int number, std::string value) {
    const auto error =
      sink_->publish({{.topic = topic_, .key = "k", .value = std::move(value)}},
                     std::chrono::seconds{60});
    ASSERT_FALSE(error) << render(error);
    const auto offset = offsets_.size();
    offsets_[number] = offset;
  }

  kafka_options options_{.brokers = shared_kafka().address(),
                         .timeout_ms = 20'000};
  std::string topic_;
  std::unique_ptr<record_sink> sink_;
  std::map<int, std::size_t> offsets_; ///< by number
  bool spoiled_ = false;
};

std::vector<source_candidate> kafka_candidates() {
  if (!kafka_installed())
    return {};
  return {{"kafka", [] { return std::make_unique<kafka_driver>(); }}};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(
  all, source_reader_suite,
  ::testing::Values(
    source_candidate{"folder",
                     [] { return std::make_unique<folder_driver>(); }},
    source_candidate{"exec", [] { return std::make_unique<exec_driver>(); }}),
  [](const auto& x) { return x.param.name; });

INSTANTIATE_TEST_SUITE_P(server, source_reader_suite,
                         ::testing::ValuesIn(kafka_candidates()),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
