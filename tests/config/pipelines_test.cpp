#include "config/pipelines.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace depositd {

namespace {

const pipeline_context known{{"first", "second"}};

caf::expected<pipeline> read(const std::string& text,
                             const std::string& file = "p.yaml") {
  return read_pipeline(text, file, known);
}

std::string refusal_of(const std::string& text,
                       const std::string& file = "p.yaml") {
  const auto out = read(text, file);
  if (out)
    return "accepted";
  EXPECT_EQ(out.error(), ec::bad_setting);
  return render(out.error());
}

/// Two stages, and what else is said of the second.
std::string with(const std::string& rest) {
  return "order: [a, b]\n"
         "stages:\n"
         "  a: {state: pending, handler: first}\n"
         "  b:\n"
         "    state: storing\n"
         "    handler: second\n"
         + rest;
}

} // namespace

TEST(pipelines, are_read_in_the_order_that_is_given) {
  const auto out = read("order: [b, a]\n"
                        "defaults: {workers: 7, nodes: [n1, n2]}\n"
                        "stages:\n"
                        "  a: {handler: first, workers: 2, lease_ms: 5000}\n"
                        "  b: {handler: exec, command: [sort, '-k 1,2']}\n");
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->name, "p");
  ASSERT_EQ(out->stages.size(), 2u);
  EXPECT_EQ(out->stages[0].name, "b");
  EXPECT_EQ(out->stages[0].kind, handler_kind::exec);
  EXPECT_EQ(out->stages[0].command,
            (std::vector<std::string>{"sort", "-k 1,2"}));
  EXPECT_EQ(out->stages[0].workers, 7u);
  EXPECT_EQ(out->stages[1].workers, 2u);
  EXPECT_EQ(out->stages[1].lease_ms, 5'000u);
  EXPECT_EQ(out->stages[1].nodes, (std::vector<std::string>{"n1", "n2"}));
}

TEST(pipelines, that_are_shipped_walk_merritts_states) {
  const auto all =
    read_pipelines(DEPOSITD_PIPELINES_FOLDER, {built_in_handlers()});
  ASSERT_TRUE(all) << render(all.error());
  const auto found =
    std::find_if(all->begin(), all->end(),
                 [](const auto& x) { return x.name == "merritt"; });
  ASSERT_NE(found, all->end());
  const auto& merritt = *found;
  std::string states;
  for (const auto& x : merritt.stages)
    states += x.name + "=" + word(x.state) + " ";
  EXPECT_EQ(states, "pending=pending estimate=estimating "
                    "provision=provisioning download=downloading "
                    "process=processing store=storing record=recording "
                    "notify=notify cleanup=completed ");
  EXPECT_EQ(stage_queue_name(merritt.name, merritt.stages[3].name),
            "merritt.download");
  const auto queue = stage_queue(merritt.stages[3]);
  EXPECT_EQ(queue.priority, priority_mode::across_users);
  EXPECT_EQ(queue.attempts_max, no_cap); // counted with the job
  EXPECT_EQ(queue.retry_delay_ms, 5'000u);
}

TEST(pipelines, name_key_and_line_of_what_is_wrong) {
  EXPECT_EQ(refusal_of(with("    workers: many\n")),
            "stages.b.workers: must be a number from 0 to 1000 (p.yaml:7)");
  EXPECT_EQ(refusal_of(with("    attempts_max: 0\n")),
            "stages.b.attempts_max: must be a number from 1 to 1000 "
            "(p.yaml:7)");
  EXPECT_EQ(refusal_of(with("    retry_delay_ms: 700000\n")),
            "stages.b.retry_delay_ms: is more than retry_delay_ms_max, 600000 "
            "(p.yaml:7)");
  EXPECT_EQ(refusal_of(with("    command: [x]\n")),
            "stages.b.command: is for the handler exec alone (p.yaml:7)");
}

TEST(pipelines, refuse_unknown_keys_and_say_what_is_known) {
  const auto field = refusal_of(with("    worker: 3\n"));
  EXPECT_EQ(field.substr(0, field.find(',')),
            "unknown key stages.b.worker (p.yaml:7); known: stages.b.state");
  EXPECT_NE(field.find("stages.b.workers"), std::string::npos);
  EXPECT_EQ(refusal_of("stage: {}\n" + with("")),
            "unknown key stage (p.yaml:1); known: order, defaults, stages");
  EXPECT_NE(refusal_of("defaults: {worker: 3}\n" + with(""))
              .find("unknown key defaults.worker (p.yaml:1); known: defaults."),
            std::string::npos);
}

TEST(pipelines, need_stages_that_are_in_their_order) {
  EXPECT_EQ(refusal_of("stages:\n  a: {handler: first}\n"),
            "p.yaml: order: a list of stages is needed");
  EXPECT_EQ(refusal_of(with("  c: {handler: first}\n")),
            "stages.c.handler: the stage c is not in order (p.yaml:7)");
  EXPECT_EQ(refusal_of("order: [a, a]\n"),
            "order: a is there twice (p.yaml:1)");
  EXPECT_NE(refusal_of("order: [A]\n").find("not \"A\" (p.yaml:1)"),
            std::string::npos);
  EXPECT_EQ(refusal_of("order: [batch]\n"),
            "order: batch is a queue that every pipeline has (p.yaml:1)");
  EXPECT_NE(refusal_of("order: []\n").find("must be a list"),
            std::string::npos);
}

TEST(pipelines, need_a_handler_that_exists) {
  EXPECT_EQ(refusal_of("order: [a]\n"),
            "stages.a.handler: is needed (p.yaml:1)");
  EXPECT_EQ(refusal_of("order: [a]\nstages: {a: {handler: third}}\n"),
            "stages.a.handler: there is no handler \"third\"; known: first or "
            "second (p.yaml:2)");
  EXPECT_EQ(refusal_of("order: [a]\nstages: {a: {handler: exec}}\n"),
            "stages.a.command: is needed for exec (p.yaml:1)");
  EXPECT_EQ(refusal_of("order: [a]\nstages: {a: {handler: external}}\n"),
            "accepted");
}

TEST(pipelines, walk_states_forward_only) {
  EXPECT_EQ(refusal_of("order: [a, b]\nstages:\n"
                       "  a: {state: storing, handler: first}\n"
                       "  b: {state: pending, handler: first}\n"),
            "stages.b.state: pending comes before storing, the state of the "
            "stage before (p.yaml:4)");
  EXPECT_NE(refusal_of("order: [a]\nstages:\n  a: {state: failed}\n")
              .find("is no state that a job waits in (p.yaml:3)"),
            std::string::npos);
  EXPECT_NE(refusal_of("order: [a]\nstages:\n  a: {state: Pending}\n")
              .find("must be one of pending, held"),
            std::string::npos);
}

TEST(pipelines, are_called_as_their_files) {
  EXPECT_EQ(read(with(""), "folder/my-line.yaml")->name, "my-line");
  EXPECT_NE(refusal_of(with(""), "My.yaml").find("not \"My\""),
            std::string::npos);
}

TEST(pipelines, of_a_folder_are_all_right_or_none_is_taken) {
  const temporary_folder home;
  std::ofstream{home.path() / "one.yaml"} << with("");
  std::ofstream{home.path() / "notes.txt"} << "not: [a pipeline";
  const auto all = read_pipelines(home.path(), known);
  ASSERT_TRUE(all) << render(all.error());
  EXPECT_EQ(all->size(), 1u);
  std::ofstream{home.path() / "two.yaml"} << "order: [a";
  EXPECT_EQ(read_pipelines(home.path(), known).error(), ec::bad_setting);
  EXPECT_EQ(read_pipelines(home.path() / "gone", known).error(),
            ec::bad_setting);
}

} // namespace depositd
