#include "adapters/processing/exec/exec_handler.hpp"
#include "messages/values/job_documents.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace depositd::exec {

namespace {

using nlohmann::json;

job_document a_job() {
  job_document out;
  out.uuid = "jid-1";
  out.batch_uuid = "bid-1";
  out.user = "ann";
  out.collection = "maps";
  out.what.title = "A map";
  return out;
}

class exec_handler : public ::testing::Test {
protected:
  exec_handler() {
    stage.name = "check";
    stage.kind = handler_kind::exec;
    stage.time_limit_ms = 60'000;
    item.queue = "p.check";
    item.item.id = 17;
    item.item.attempt = 2;
    item.item.body = encode(a_job());
  }

  outcome run(const std::string& script) {
    stage.command = {"sh", "-c", script};
    return make_exec_handler(folder.path())({item, stage});
  }

  temporary_folder folder;
  stage_settings stage;
  handle_item item;
};

} // namespace

TEST_F(exec_handler, gives_the_item_as_json) {
  ASSERT_EQ(run("cat > item.json").says, verdict::done);
  std::ifstream file{folder.path() / "item.json"};
  const auto read = json::parse(file);
  EXPECT_EQ(read, (json{{"queue", "p.check"},
                        {"stage", "check"},
                        {"attempt", 2},
                        {"id", 17},
                        {"document", json::parse(item.item.body)}}));
}

TEST_F(exec_handler, tells_outcomes_by_the_exit_code) {
  EXPECT_EQ(run("exit 0").says, verdict::done);
  EXPECT_EQ(run("exit 3").says, verdict::skip);
  EXPECT_EQ(run("exit 4").says, verdict::not_yet);
  EXPECT_EQ(run("exit 5").says, verdict::rejected);
  EXPECT_EQ(run("exit 75").says, verdict::retry);
  for (const auto* script : {"exit 1", "exit 2", "exit 76", "exit 127"})
    EXPECT_EQ(run(script).says, verdict::failed) << script;
}

TEST_F(exec_handler, notes_the_end_of_what_it_complains_about) {
  EXPECT_EQ(run("echo 'the disk is full' >&2; exit 75").reason,
            "the disk is full");
  EXPECT_EQ(run("printf 'no \\033[31m\\377 virus\\n' >&2; exit 1").reason,
            "exit code 1: no [31m? virus");
  EXPECT_EQ(run("exit 5").reason, "refused");
}

TEST_F(exec_handler, leaves_the_document_as_it_was_if_nothing_is_printed) {
  EXPECT_EQ(run("true").document, "");
  EXPECT_EQ(run("echo").document, "");
}

TEST_F(exec_handler, merges_what_is_printed_into_the_document) {
  const auto ended =
    run("echo '{\"scan\":{\"clean\":true},\"title\":\"Map\"}'");
  ASSERT_EQ(ended.says, verdict::done);
  const auto job = decode_job_document(ended.document);
  ASSERT_TRUE(job) << render(job.error());
  EXPECT_EQ(job->what.title, "Map");
  EXPECT_EQ(job->more.at("scan").at("clean"), true);
  EXPECT_EQ(job->uuid, "jid-1");
}

TEST_F(exec_handler, keeps_whose_the_job_is) {
  const auto ended = run(
    "echo '{\"user\":\"eve\",\"collection\":null,\"job\":\"j\",\"batch\":1}'");
  const auto job = decode_job_document(ended.document);
  ASSERT_TRUE(job) << render(job.error());
  EXPECT_EQ(job->user, "ann");
  EXPECT_EQ(job->collection, "maps");
  EXPECT_EQ(job->uuid, "jid-1");
  EXPECT_EQ(job->batch_uuid, "bid-1");
}

TEST_F(exec_handler, fails_what_prints_something_else) {
  EXPECT_EQ(run("echo all is well").says, verdict::failed);
  EXPECT_EQ(run("echo '[1]'").says, verdict::failed);
  EXPECT_EQ(run("echo '{\"title\":7}'").says, verdict::failed);
  for (const auto* number : {"300", "-1", "1.7", "true"})
    EXPECT_EQ(run("echo '{\"priority\":" + std::string{number} + "}'").reason,
              "what it printed makes no job: "
              "priority is no whole number, or out of range")
      << number;
  EXPECT_EQ(run("echo '{\"payload\":{\"bytes\":-5}}'").says, verdict::failed);
  EXPECT_EQ(run("echo '{\"priority\":255}'").says, verdict::done);
}

TEST_F(exec_handler, fails_what_prints_more_levels_than_a_stack_holds) {
  const auto more = [](const std::string& open, const std::string& close) {
    return "{ echo '{\"scan\":'; yes '" + open + "' | head -n 9000; echo 1; "
           + "yes '" + close + "' | head -n 9000; echo '}'; } | tr -d '\\n'";
  };
  EXPECT_EQ(run(more("[", "]")).says, verdict::failed);
  const auto ended = run(more("{\"\":", "}"));
  EXPECT_EQ(ended.says, verdict::failed);
  EXPECT_EQ(ended.reason,
            "what it printed is no JSON object, or is nested too deeply");
}

TEST_F(exec_handler, fails_what_prints_too_much) {
  const auto ended = run("yes");
  EXPECT_EQ(ended.says, verdict::failed);
  EXPECT_EQ(ended.reason, "sh printed more than 65536 bytes");
}

TEST_F(exec_handler, tries_again_what_cannot_be_started_now) {
  const auto file = folder.path() / "program";
  std::ofstream writer{file};
  writer << "#!/bin/sh\nexit 0\n" << std::flush;
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  stage.command = {file.string()};
  const auto handler = make_exec_handler(folder.path());
  const auto busy = handler({item, stage});
  EXPECT_EQ(busy.says, verdict::retry) << "it is being written";
  EXPECT_NE(busy.reason.find("cannot run"), std::string::npos);
  writer.close();
  EXPECT_EQ(handler({item, stage}).says, verdict::done);
  std::filesystem::permissions(file, std::filesystem::perms::owner_write);
  EXPECT_EQ(handler({item, stage}).says, verdict::failed);
  std::filesystem::remove(file);
  EXPECT_EQ(handler({item, stage}).says, verdict::failed);
}

TEST_F(exec_handler, ends_all_that_runs_and_whatever_starts_then) {
  const auto groups = std::make_shared<program_groups>();
  const auto handler = make_exec_handler(folder.path(), groups);
  ASSERT_EQ(mkfifo((folder.path() / "running").c_str(), 0600), 0);
  stage.command = {"sh", "-c", "sleep 3600 & echo > running; wait"};
  auto hanging =
    std::async(std::launch::async, [&] { return handler({item, stage}); });
  std::string line;
  std::getline(std::ifstream{folder.path() / "running"}, line);
  groups->end_all();
  EXPECT_EQ(hanging.get().says, verdict::retry);
  stage.command = {"sleep", "3600"};
  EXPECT_EQ(handler({item, stage}).says, verdict::retry);
}

TEST_F(exec_handler, tries_again_what_was_killed_or_was_too_slow) {
  EXPECT_EQ(run("kill -9 $$").says, verdict::retry);
  stage.time_limit_ms = 200;
  const auto ended = run("sleep 600");
  EXPECT_EQ(ended.says, verdict::retry);
  EXPECT_EQ(ended.reason, "sh was not done after 200 ms");
}

TEST_F(exec_handler, names_a_program_that_cannot_be_run) {
  stage.command = {"no-such-program"};
  const auto ended = make_exec_handler(folder.path())({item, stage});
  EXPECT_EQ(ended.says, verdict::failed);
  EXPECT_EQ(ended.reason,
            "cannot run no-such-program: No such file or directory");
}

TEST_F(exec_handler, fails_an_item_that_is_no_document) {
  item.item.body = "not json";
  EXPECT_EQ(run("true").says, verdict::failed);
}

} // namespace depositd::exec
