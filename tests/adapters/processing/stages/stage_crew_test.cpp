#include "adapters/processing/stages/read_model_reader.hpp"
#include "adapters/processing/stages/stage_crew.hpp"
#include "messages/message_types.hpp"
#include "messages/projection.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <system_error>
#include <thread>

namespace depositd::stages {

namespace {

constexpr std::chrono::seconds patience{30};

struct system_config : caf::actor_system_config {
  system_config() {
    add_depositd_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{1});
  }
};

const stage_settings& the_stage() {
  static const stage_settings out = [] {
    stage_settings x;
    x.name = "s";
    x.handler = "test";
    return x;
  }();
  return out;
}

/// Slots on real threads, with a handler of the test's.
class slots_of_a_stage : public ::testing::Test {
protected:
  ~slots_of_a_stage() override {
    for (const auto& slot : slots)
      caf::anon_send_exit(slot, caf::exit_reason::kill);
    // Its timer would keep it for a while, and with it the system.
    if (crew)
      caf::anon_send_exit(crew, caf::exit_reason::kill);
  }

  /// Slots of one stage.
  std::vector<handler_actor>
  open(std::size_t count, stage_handler handler,
       std::chrono::milliseconds idle_max = patience) {
    stage_work_options options;
    if (handler)
      options.handlers["test"] = std::move(handler);
    options.find_stage = [](const control_state&, const std::string&) {
      return &the_stage();
    };
    const auto work = std::make_shared<const stage_work>(std::move(options));
    crew = sys.spawn(stage_crew, stage_crew_options{work, idle_max});
    for (std::size_t i = 0; i < count; ++i)
      slots.push_back(sys.spawn(stage_slot, work, crew));
    return slots;
  }

  static handle_item item(item_id id) {
    handle_item out;
    out.queue = "p.s";
    out.item.id = id;
    out.control = std::make_shared<control_state>();
    return out;
  }

  caf::expected<outcome> ask(const handler_actor& slot, item_id id = 1) {
    caf::expected<outcome> out{caf::sec::request_timeout};
    self->request(slot, patience, item(id))
      .receive([&](outcome& x) { out = std::move(x); },
               [&](caf::error& why) { out = std::move(why); });
    return out;
  }

  system_config cfg;
  caf::actor_system sys{cfg};
  caf::scoped_actor self{sys};
  std::vector<handler_actor> slots;
  stage_crew_actor crew;
};

} // namespace

TEST_F(slots_of_a_stage, do_their_items_one_after_the_other) {
  std::atomic<int> at_once{0};
  std::vector<item_id> seen;
  const auto slot = open(1, [&](const stage_task& x) {
                      EXPECT_EQ(++at_once, 1);
                      seen.push_back(x.item.item.id);
                      --at_once;
                      return outcome{};
                    }).front();
  for (item_id id : {1, 2, 3})
    self->send(slot, item(id)); // the last is asked for, so all are done
  ASSERT_TRUE(ask(slot, 4));
  EXPECT_EQ(seen, (std::vector<item_id>{1, 2, 3, 4}));
}

TEST_F(slots_of_a_stage, do_not_wait_for_each_other) {
  std::latch all_in_work{3};
  const auto handler = [&](const stage_task&) {
    all_in_work.arrive_and_wait();
    return outcome{};
  };
  std::vector<std::thread> askers;
  item_id id = 0;
  for (const auto& slot : open(3, handler))
    askers.emplace_back([this, slot, id = ++id] {
      caf::scoped_actor own{sys};
      bool answered = false;
      own->request(slot, patience, item(id))
        .receive([&](const outcome&) { answered = true; },
                 [](const caf::error&) {});
      EXPECT_TRUE(answered);
    });
  for (auto& one : askers)
    one.join();
}

TEST_F(slots_of_a_stage, let_nothing_wait_behind_an_item_that_takes_long) {
  std::promise<void> second_done;
  auto is_done = second_done.get_future().share();
  const auto two = open(2, [&](const stage_task& x) {
    if (x.item.item.id == 1) {
      EXPECT_EQ(is_done.wait_for(patience), std::future_status::ready);
    } else {
      second_done.set_value();
    }
    return outcome{};
  });
  // Both were fetched by one slot; the other's thread has nothing to do.
  auto first = self->request(two.front(), patience, item(1));
  EXPECT_TRUE(ask(two.front(), 2));
  first.receive([](const outcome&) {},
                [](const caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(slots_of_a_stage, answer_at_once_what_needs_no_thread) {
  const auto slot = open(1, nullptr).front(); // no such handler
  const auto ended = ask(slot);
  ASSERT_TRUE(ended) << render(ended.error());
}

TEST_F(slots_of_a_stage, end_their_thread_when_nothing_is_to_be_done) {
  struct last_words {
    std::promise<void>* ended = nullptr;
    ~last_words() {
      if (ended != nullptr)
        ended->set_value();
    }
  };
  std::promise<void> first;
  std::promise<void> second;
  std::atomic<std::promise<void>*> whose{&first};
  const auto slot = open(
                      1,
                      [&](const stage_task&) {
                        thread_local last_words words;
                        words.ended = whose;
                        return outcome{};
                      },
                      std::chrono::milliseconds{20})
                      .front();
  ASSERT_TRUE(ask(slot));
  ASSERT_EQ(first.get_future().wait_for(patience), std::future_status::ready);
  whose = &second;
  ASSERT_TRUE(ask(slot)); // with another thread
  EXPECT_EQ(second.get_future().wait_for(patience), std::future_status::ready);
}

TEST_F(slots_of_a_stage, keep_no_crew_that_has_nothing_to_do) {
  open(1, [](const stage_task&) { return outcome{}; });
  ASSERT_TRUE(ask(slots.front()));
  self->monitor(crew);
  for (const auto& slot : std::exchange(slots, {}))
    caf::anon_send_exit(slot, caf::exit_reason::kill);
  crew = stage_crew_actor{};
  bool gone = false;
  self->receive([&](const caf::down_msg&) { gone = true; },
                // As long as its thread might have been idle.
                caf::after(patience / 2) >> [] {});
  EXPECT_TRUE(gone);
}

TEST_F(slots_of_a_stage, keep_their_thread_while_it_works) {
  std::promise<void> never;
  const auto slot =
    open(
      1,
      [&](const stage_task&) {
        // A hundred times as long as a thread may be idle.
        never.get_future().wait_for(std::chrono::milliseconds{100});
        return outcome{};
      },
      std::chrono::milliseconds{1})
      .front();
  EXPECT_TRUE(ask(slot));
}

namespace {

/// A crew whose threads are had from the test, on its deterministic scheduler.
class crew_without_threads : public testing::actor_fixture {
protected:
  struct thread_state {
    std::vector<caf::typed_response_promise<outcome>> open;
  };

  /// Keeps what it gets until it is told `done`.
  using patient_actor = handler_actor::extend<caf::reacts_to<done>>;

  static patient_actor::behavior_type
  patient(patient_actor::stateful_pointer<thread_state> self, bool fails) {
    return {
      [=](handle_item&) -> caf::result<outcome> {
        return self->state.open.emplace_back(
          self->make_response_promise<outcome>());
      },
      [=](done) {
        for (auto& x : std::exchange(self->state.open, {}))
          if (fails)
            x.deliver(caf::make_error(ec::store_failed, "no luck"));
          else
            x.deliver(outcome{});
      },
    };
  }

  void SetUp() override {
    stage_work_options options;
    options.handlers["test"] = [](const stage_task&) { return outcome{}; };
    options.find_stage = [](const control_state&, const std::string&) {
      return &the_stage();
    };
    stage_crew_options crew;
    crew.work = std::make_shared<const stage_work>(std::move(options));
    crew.spawn_thread = [this]() -> handler_actor {
      if (threads_left == 0)
        throw std::system_error{
          std::make_error_code(std::errc::resource_unavailable_try_again)};
      --threads_left;
      auto out = sys.spawn(patient, threads_fail);
      adopt(out);
      threads.push_back(out);
      return out;
    };
    const auto work = crew.work;
    const auto all = spawn(stage_crew, std::move(crew));
    for (int i = 0; i < 2; ++i)
      slots.push_back(spawn(stage_slot, work, all));
  }

  auto request(std::size_t slot, item_id id) {
    handle_item what;
    what.queue = "p.s";
    what.item.id = id;
    what.control = std::make_shared<control_state>();
    auto out = self->request(slots[slot], caf::infinite, std::move(what));
    settle();
    return out;
  }

  int threads_left = 0;
  bool threads_fail = false;
  std::vector<patient_actor> threads;
  std::vector<handler_actor> slots;
};

} // namespace

TEST_F(crew_without_threads, gives_items_back_for_later_and_uncounted) {
  auto asked = request(0, 1);
  ASSERT_TRUE(self->has_next_message());
  asked.receive(
    [](const outcome& x) {
      EXPECT_EQ(x.says, verdict::not_yet);
      EXPECT_GT(x.delay_ms, 0u);
    },
    [](const caf::error& why) { ADD_FAILURE() << render(why); });
  threads_left = 1; // it lives on, and works when there is one
  auto again = request(0, 1);
  EXPECT_FALSE(self->has_next_message());
  ASSERT_EQ(threads.size(), 1u);
  caf::anon_send(threads[0], done{});
  settle();
  again.receive([](const outcome& x) { EXPECT_EQ(x.says, verdict::done); },
                [](const caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(crew_without_threads, lets_items_wait_for_a_thread_that_there_is) {
  threads_left = 1;
  auto first = request(0, 1);
  auto second = request(1, 2); // there is no thread for it now
  EXPECT_FALSE(self->has_next_message());
  ASSERT_EQ(threads.size(), 1u);
  caf::anon_send(threads[0], done{});
  settle();
  caf::anon_send(threads[0], done{});
  settle();
  for (auto* x : {&first, &second})
    x->receive([](const outcome& y) { EXPECT_EQ(y.says, verdict::done); },
               [](const caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(crew_without_threads, tells_what_a_thread_has_failed_by) {
  threads_left = 1;
  threads_fail = true;
  auto asked = request(0, 1);
  ASSERT_EQ(threads.size(), 1u);
  caf::anon_send(threads[0], done{});
  settle();
  asked.receive(
    [](const outcome&) { ADD_FAILURE() << "nothing came of it"; },
    [](const caf::error& why) { EXPECT_EQ(why, ec::store_failed); });
}

TEST_F(crew_without_threads, gets_another_thread_for_one_that_died) {
  threads_left = 2;
  auto first = request(0, 1);
  ASSERT_EQ(threads.size(), 1u);
  caf::anon_send_exit(threads[0], caf::exit_reason::kill);
  settle();
  first.receive([](const outcome&) { ADD_FAILURE() << "it died with it"; },
                [](const caf::error& why) { EXPECT_TRUE(why); });
  auto second = request(0, 2);
  ASSERT_EQ(threads.size(), 2u);
  caf::anon_send(threads[1], done{});
  settle();
  second.receive([](const outcome& x) { EXPECT_EQ(x.says, verdict::done); },
                 [](const caf::error& why) { ADD_FAILURE() << render(why); });
}

// -- the reader that handlers have --------------------------------------------

namespace {

read_model_actor::behavior_type fake_read_model(read_model_actor::pointer self,
                                                bool silent) {
  return {
    [](const submission_query&) { return submissions_found{}; },
    [=](const batch_query& x) -> caf::result<batches_found> {
      if (silent)
        return self->make_response_promise<batches_found>();
      batch_row row;
      row.id = x.id;
      return batches_found{{row}, false};
    },
    [](const job_query&) -> caf::result<jobs_found> {
      return caf::make_error(ec::store_failed, std::string{"no tables"});
    },
    [](const peek_items&) { return items_found{}; },
    [](const failed_query&) { return failed_found{}; },
    [](const forget_submissions&) { return submissions_forgotten{}; },
    [](const back_up&) { return done{}; },
    [](const report_store&) { return store_report{}; },
  };
}

} // namespace

TEST_F(slots_of_a_stage, read_batches_and_jobs) {
  const auto model = sys.spawn(fake_read_model, false);
  const auto reader = make_read_model_reader(sys, {.from = model});
  batch_query query;
  query.id = 17;
  const auto found = reader->batches(query);
  ASSERT_TRUE(found) << render(found.error());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().id, 17u);
  const auto jobs = reader->jobs({});
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error(), ec::store_failed);
  caf::anon_send_exit(model, caf::exit_reason::kill);
}

TEST_F(slots_of_a_stage, do_not_wait_for_ever_for_the_read_model) {
  const auto model = sys.spawn(fake_read_model, true);
  const auto reader = make_read_model_reader(
    sys, {.from = model, .patience = std::chrono::milliseconds{50}});
  const auto found = reader->batches({});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), ec::overloaded);
  caf::anon_send_exit(model, caf::exit_reason::kill);
}

} // namespace depositd::stages
