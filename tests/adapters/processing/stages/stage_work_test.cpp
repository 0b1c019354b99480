#include "adapters/processing/stages/stage_work.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

namespace depositd::stages {

namespace {

/// Out of reach.
class blobs_away final : public blob_store {
public:
  caf::expected<std::string> put(std::string_view) override {
    return away();
  }
  caf::expected<std::string> get(const std::string&) override {
    return away();
  }
  caf::error backup(const std::filesystem::path&) override {
    return away();
  }

private:
  static caf::error away() {
    return caf::make_error(ec::store_failed, std::string{"nobody answers"});
  }
};

/// One pipeline with a stage of every kind.
std::shared_ptr<control_state> a_state() {
  auto out = std::make_shared<control_state>();
  pipeline p;
  p.name = "p";
  const auto add = [&](const char* name, const char* handler,
                       handler_kind kind = handler_kind::built_in) {
    stage_settings stage;
    stage.name = name;
    stage.kind = kind;
    stage.handler = handler;
    p.stages.push_back(stage);
  };
  add("built", "test.known");
  add("nothing", "noop");
  add("missing", "test.unknown");
  add("program", "", handler_kind::exec);
  add("elsewhere", "", handler_kind::external);
  out->pipelines["p"] = p;
  collection_settings maps;
  maps.name = "maps";
  maps.owner = "ann";
  out->collections["maps"] = maps;
  return out;
}

const stage_settings* find(const control_state& state,
                           const std::string& queue) {
  const auto at = state.pipelines.find("p");
  for (const auto& stage : at->second.stages)
    if (queue == stage_queue_name("p", stage.name))
      return &stage;
  return nullptr;
}

class stage_work_of_a_pipeline : public ::testing::Test {
protected:
  stage_work_of_a_pipeline() {
    options.find_stage = find;
    options.handlers["test.known"] = [this](const stage_task& x) {
      return answer(x);
    };
    item.control = a_state();
    item.item.id = 5;
    item.item.token = 6;
    item.item.member = 7;
    item.item.body = R"({"collection":"maps"})";
  }

  outcome handle(const std::string& queue) {
    item.queue = queue;
    return stage_work{options}.handle(item);
  }

  stage_work_options options;
  stage_handler answer = [](const stage_task&) { return outcome{}; };
  handle_item item;
};

} // namespace

TEST_F(stage_work_of_a_pipeline, asks_the_handler_that_the_stage_names) {
  std::string stage;
  std::string owner;
  answer = [&](const stage_task& x) {
    stage = x.stage.name;
    owner = x.collection == nullptr ? "" : x.collection->owner;
    outcome out;
    out.says = verdict::skip;
    out.document = "changed";
    return out;
  };
  const auto ended = handle("p.built");
  EXPECT_EQ(stage, "built");
  EXPECT_EQ(owner, "ann");
  EXPECT_EQ(ended.says, verdict::skip);
  EXPECT_EQ(ended.document, "changed");
}

TEST_F(stage_work_of_a_pipeline, answers_for_the_claim_whatever_handlers_say) {
  answer = [](const stage_task&) {
    outcome out;
    out.id = 99;
    return out;
  };
  for (const auto* queue : {"p.built", "p.nothing", "p.missing", "p.gone"}) {
    const auto ended = handle(queue);
    EXPECT_EQ(ended.id, 5u) << queue;
    EXPECT_EQ(ended.token, 6u) << queue;
    EXPECT_EQ(ended.member, 7u) << queue;
  }
}

TEST_F(stage_work_of_a_pipeline, gives_no_item_to_two_handlers_at_once) {
  std::promise<void> begun;
  std::promise<void> let_go;
  bool is_first = true;
  answer = [&](const stage_task&) {
    if (std::exchange(is_first, false)) {
      begun.set_value();
      let_go.get_future().wait();
    }
    return outcome{};
  };
  item.queue = "p.built";
  const stage_work work{options};
  auto again = item;
  auto other = item;
  other.item.id = 8;
  std::thread slow{[&] { EXPECT_EQ(work.handle(item).says, verdict::done); }};
  begun.get_future().wait();
  EXPECT_NE(work.begun(5), never);
  EXPECT_EQ(work.begun(8), never) << "nobody has it yet";
  const auto second = work.handle(again);
  const auto beside = work.handle(other);
  let_go.set_value();
  slow.join();
  EXPECT_EQ(work.begun(5), never);
  EXPECT_EQ(second.says, verdict::not_yet);
  EXPECT_EQ(second.id, 5u);
  EXPECT_EQ(second.reason, "an earlier try has not ended");
  EXPECT_EQ(beside.says, verdict::done);
  EXPECT_EQ(work.handle(again).says, verdict::done);
}

TEST_F(stage_work_of_a_pipeline, gives_back_what_ends_once_work_is_cut_short) {
  bool cut = false;
  options.is_cut = [&] { return cut; };
  EXPECT_EQ(handle("p.built").says, verdict::done);
  answer = [&](const stage_task&) {
    cut = true;
    outcome out;
    out.says = verdict::failed;
    out.document = "changed";
    return out;
  };
  const auto ended = handle("p.built");
  EXPECT_EQ(ended.says, verdict::release);
  EXPECT_EQ(ended.document, "");
  EXPECT_EQ(ended.id, 5u);
}

TEST_F(stage_work_of_a_pipeline, gives_no_collection_that_is_no_more) {
  bool given = true;
  answer = [&](const stage_task& x) {
    given = x.collection != nullptr;
    return outcome{};
  };
  for (const auto* body : {R"({"collection":"gone"})", R"({"collection":7})",
                           "{}", "[]", "not json", ""}) {
    item.item.body = body;
    given = true;
    handle("p.built");
    EXPECT_FALSE(given) << body;
  }
}

TEST_F(stage_work_of_a_pipeline, splits_and_reports_on_batches) {
  std::string asked;
  for (const auto* name : {split_handler, report_handler})
    options.handlers[name] = [&asked, name](const stage_task&) {
      asked = name;
      return outcome{};
    };
  handle("p.batch");
  EXPECT_EQ(asked, "merritt.split");
  handle("p.report");
  EXPECT_EQ(asked, "merritt.report");
}

TEST_F(stage_work_of_a_pipeline, asks_programs_of_stages_that_are_programs) {
  options.exec = [](const stage_task& x) {
    outcome out;
    out.reason = "ran " + x.stage.name;
    return out;
  };
  EXPECT_EQ(handle("p.program").reason, "ran program");
}

TEST_F(stage_work_of_a_pipeline, does_at_once_what_needs_no_handler) {
  const stage_work work{options};
  item.queue = "p.nothing";
  const auto ended = work.at_once(item);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->says, verdict::done);
  item.queue = "p.built";
  EXPECT_FALSE(work.at_once(item));
}

TEST_F(stage_work_of_a_pipeline, fails_what_no_handler_is_there_for) {
  const auto ended = handle("p.missing");
  EXPECT_EQ(ended.says, verdict::failed);
  EXPECT_EQ(ended.reason, "this program has no handler test.unknown");
}

TEST_F(stage_work_of_a_pipeline, lets_wait_what_is_not_for_it) {
  for (const auto* queue : {"p.elsewhere", "p.gone"})
    EXPECT_EQ(handle(queue).says, verdict::not_yet) << queue;
  item.control = nullptr;
  EXPECT_EQ(handle("p.built").says, verdict::not_yet);
}

TEST_F(stage_work_of_a_pipeline, tries_again_what_threw) {
  answer = [](const stage_task&) -> outcome {
    throw std::runtime_error{"the roof is open"};
  };
  auto ended = handle("p.built");
  EXPECT_EQ(ended.says, verdict::retry);
  EXPECT_EQ(ended.reason, "the handler failed: the roof is open");
  answer = [](const stage_task&) -> outcome { throw 7; };
  EXPECT_EQ(handle("p.built").says, verdict::retry);
}

TEST_F(stage_work_of_a_pipeline, fetches_a_body_that_is_a_blob) {
  std::string body;
  answer = [&](const stage_task& x) {
    body = x.item.item.body;
    return outcome{};
  };
  options.blobs = make_memory_blobs();
  const auto name = options.blobs->put("the body");
  ASSERT_TRUE(name);
  item.item.kind = body_kind::blob;
  item.item.body = *name;
  EXPECT_EQ(handle("p.built").says, verdict::done);
  EXPECT_EQ(body, "the body");
  item.item.kind = body_kind::blob;
  item.item.body = std::string(64, '0');
  EXPECT_EQ(handle("p.built").says, verdict::retry);
}

TEST_F(stage_work_of_a_pipeline, waits_for_bodies_whose_store_is_away) {
  options.blobs = std::make_shared<blobs_away>();
  item.item.kind = body_kind::blob;
  item.item.body = std::string(64, '0');
  const auto ended = handle("p.built");
  EXPECT_EQ(ended.says, verdict::not_yet);
  EXPECT_EQ(ended.reason, "nobody answers");
}

} // namespace depositd::stages
