#include "config/command_line.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace depositd {
namespace {

namespace fs = std::filesystem;

class command_line_test : public ::testing::Test {
protected:
  command_line_test() {
    auto name = (fs::temp_directory_path() / "depositd-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }

  ~command_line_test() override {
    fs::remove_all(folder_);
  }

  std::string file(const std::string& text) const {
    const auto name = (folder_ / "my.yaml").string();
    std::ofstream{name} << text;
    return name;
  }

  static command_line read(std::vector<std::string> words) {
    words.insert(words.begin(), "depositd");
    std::vector<const char*> argv;
    for (const auto& word : words)
      argv.push_back(word.c_str());
    return read_command_line(static_cast<int>(argv.size()), argv.data(), "1");
  }

  static std::string refusal(std::vector<std::string> words) {
    const auto out = read(std::move(words));
    EXPECT_FALSE(out.settings);
    EXPECT_EQ(out.exit_code, 2);
    EXPECT_FALSE(out.text.empty());
    return out.text;
  }

  fs::path folder_;
};

TEST_F(command_line_test, without_words_yields_the_defaults) {
  const auto out = read({});
  ASSERT_TRUE(out.settings);
  EXPECT_EQ(*out.settings, depositd_settings{});
}

TEST_F(command_line_test, check_takes_a_folder_and_needs_no_settings) {
  const auto out = read({"check", "/some/where", "--blobs-elsewhere"});
  ASSERT_TRUE(out.check);
  EXPECT_EQ(out.check->folder, "/some/where");
  EXPECT_TRUE(out.check->blobs_elsewhere);
  EXPECT_FALSE(out.settings);
  refusal({"check"});
}

TEST_F(command_line_test, a_demo_has_free_ports_unless_others_are_given) {
  const auto out = read({"--demo", "--set", "http.listen=127.0.0.1:8123"});
  ASSERT_TRUE(out.settings);
  EXPECT_TRUE(out.demo);
  EXPECT_GT(out.settings->processors.least_ms, 0u); // something is to be seen
  EXPECT_FALSE(out.has_data_folder);
  EXPECT_EQ(out.settings->http.listen.port, 8123);
  EXPECT_EQ(out.settings->admin.listen.port, 0);
  EXPECT_TRUE(read({"--demo", "--data", "/x"}).has_data_folder);
  refusal({"--demo", "--processors-only", "--join", "127.0.0.1:1"});
}

TEST_F(command_line_test, set_wins_over_the_file_and_the_last_set_wins) {
  const auto name = file("log: {level: warn}\nprocessors: {count: 9}\n");
  const auto out = read(
    {"--set", "log.level=debug", "--config", name, "--set", "log.level=error"});
  ASSERT_TRUE(out.settings) << out.text;
  EXPECT_EQ(out.settings->log.level, "error");
  EXPECT_EQ(out.settings->processors.count, 9u);
}

TEST_F(command_line_test, data_names_the_data_folder) {
  const auto out = read({"--data", "here", "--set", "data.folder=there"});
  ASSERT_TRUE(out.settings);
  EXPECT_EQ(out.settings->data.folder, "here");
}

TEST_F(command_line_test, an_empty_name_of_a_folder_or_file_is_refused) {
  for (const auto* empty : {"--data=", "--config="})
    EXPECT_NE(refusal({empty}).find(std::string{empty}.substr(0, 6)),
              std::string::npos)
      << empty;
  EXPECT_NE(refusal({"--data", ""}).find("--data"), std::string::npos);
  EXPECT_NE(refusal({"--set", "data.folder="}).find("data.folder"),
            std::string::npos);
}

TEST_F(command_line_test, set_reaches_queues_and_lists) {
  const auto out =
    read({"--set", "queues.a.b.concurrency=2", "--set", "prohibited_users=x, y",
          "--set", "queues.metadata.pending_limit=none"});
  ASSERT_TRUE(out.settings) << out.text;
  EXPECT_EQ(out.settings->queues.at("a.b").concurrency, 2u);
  EXPECT_EQ(out.settings->prohibited_users,
            (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(out.settings->queues.at("metadata").pending_limit, no_cap);
}

TEST_F(command_line_test, an_empty_value_sets_a_text_back) {
  const auto name = file("drop_folder: {path: somewhere}\n");
  const auto out = read({"--config", name, "--set", "drop_folder.path="});
  ASSERT_TRUE(out.settings);
  EXPECT_EQ(out.settings->drop_folder.path, "");
}

TEST_F(command_line_test, wrong_values_name_key_and_option) {
  const auto why = refusal({"--set", "http.listen=nowhere"});
  EXPECT_EQ(why, "http.listen: must be HOST:PORT, not \"nowhere\" "
                 "(--set http.listen)\n");
  EXPECT_NE(refusal({"--set", "nonsense"}).find("KEY=VALUE"),
            std::string::npos);
  for (const auto* odd : {"http.listen=a\nb", "log.level=\x1b[2J\nx", "a\nb=1",
                          "\nnonsense", "queues.a\nb.kind=message",
                          "http.\x1b[2J=1", "log.level=a\xff\n"}) {
    const auto text = refusal({"--set", odd});
    EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
    EXPECT_EQ(text.find('\x1b'), text.npos) << text;
    EXPECT_EQ(text.find('\xff'), text.npos) << text;
  }
  EXPECT_NE(refusal({"--set", "a.b=1"}).find("unknown key a.b (--set a.b)"),
            std::string::npos);
}

TEST_F(command_line_test, wrong_values_name_file_and_line) {
  const auto name = file("log:\n  level: loud\n");
  EXPECT_NE(refusal({"--config", name}).find(name + ":2"), std::string::npos);
}

TEST_F(command_line_test, a_file_that_cannot_be_read_is_named) {
  const auto name = (folder_ / "absent.yaml").string();
  EXPECT_NE(refusal({"--config", name}).find(name), std::string::npos);
  EXPECT_NE(refusal({"--config", folder_.string()}).find("cannot read"),
            std::string::npos);
  EXPECT_NE(refusal({"--config", file(std::string(1'100'000, '#'))})
              .find("larger than 1 MiB"),
            std::string::npos);
}

TEST_F(command_line_test, unknown_words_are_wrong_usage) {
  refusal({"start"});
  refusal({"--port", "1"});
  refusal({"--set"});
}

TEST_F(command_line_test, help_and_version_are_answers) {
  const auto help = read({"--help"});
  EXPECT_FALSE(help.settings);
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.text.find("--set"), std::string::npos);
  EXPECT_EQ(read({"--version"}).text, "depositd 1\n");
}

TEST_F(command_line_test, join_makes_it_a_node_of_processors) {
  EXPECT_FALSE(read({}).join) << "an engine";
  const auto out = read({"--processors-only", "--join", "127.0.0.1:4747"});
  ASSERT_TRUE(out.join);
  EXPECT_EQ(*out.join, (endpoint{"127.0.0.1", 4747}));
  EXPECT_FALSE(out.settings->processors.count_given);
  EXPECT_TRUE(read({"--processors-only", "--join", "localhost:1", "--set",
                    "processors.count=4"})
                .settings->processors.count_given);
}

TEST_F(command_line_test, join_needs_its_other_half_and_an_address) {
  for (const auto& words : std::vector<std::vector<std::string>>{
         {"--processors-only"},
         {"--join", "127.0.0.1:4747"},
         {"--processors-only", "--join", "127.0.0.1"},
         {"--processors-only", "--join", "127.0.0.1:0"}})
    EXPECT_NE(refusal(words).find("--join"), std::string::npos);
  EXPECT_NE(refusal({"--processors-only", "--join", "192.0.2.1:4747"})
              .find("node.tls.certificate"),
            std::string::npos);
}

} // namespace
} // namespace depositd
