// What is due is queued once, whoever is started again meanwhile.

#include "actors/operators/reconciler.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/rules/orders/orders.hpp"
#include "messages/values/orders.hpp"
#include "tests/support/actor_fixture.hpp"

#include <algorithm>
#include <set>

namespace depositd::testing {
namespace {

using namespace std::chrono_literals;

constexpr micros one_day = micros{86'400} * 1'000'000;

/// Files by the time of their last check.
struct known_checks final : fixity_book {
  caf::expected<std::vector<checked_file>> due(const fixity_query& x) override {
    ++asked;
    if (away)
      return caf::make_error(ec::store_failed, std::string{"away"});
    std::vector<checked_file> out;
    for (const auto& one : files)
      if (one.checked_us < x.checked_before_us && out.size() < x.count_max
          && std::count(x.collections_but.begin(), x.collections_but.end(),
                        one.collection)
               == 0)
        out.push_back(one);
    return out;
  }

  caf::expected<std::optional<checked_file>>
  last_check(const std::string&, const std::string&) override {
    return std::optional<checked_file>{};
  }

  caf::expected<std::optional<std::vector<std::string>>>
  targets_of(const std::string&, const stored_file&) override {
    return std::optional<std::vector<std::string>>{};
  }

  caf::error checked(const std::string&, const std::string&,
                     const premis_event&) override {
    return {};
  }

  caf::expected<std::vector<spot_candidate>>
  spot_candidates(micros, const std::vector<std::string>&,
                  std::uint32_t) override {
    return spots;
  }

  caf::error forget(const std::string&,
                    const std::vector<premis_event>&) override {
    return {};
  }

  /// So many files of an owner, the first the oldest.
  void add(std::size_t count, const std::string& owner, micros from_us = 1) {
    for (std::size_t i = 0; i < count; ++i)
      files.push_back({owner + "/bag", "data/" + std::to_string(files.size()),
                       owner, "c-" + owner, from_us + static_cast<micros>(i)});
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
      return a.checked_us < b.checked_us;
    });
  }

  std::vector<checked_file> files;
  std::vector<spot_candidate> spots;
  bool away = false;
  int asked = 0;
};

/// Shards and their read model: what was submitted, and whether it is finished.
struct known_orders final : work_reader {
  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    std::vector<batch_row> out;
    for (const auto& row : rows)
      if (row.info.uuid == x.uuid)
        out.push_back(row);
    return out;
  }

  caf::expected<std::vector<job_row>> jobs(const job_query&) override {
    return std::vector<job_row>{};
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  /// As a user's actor decides.
  caf::expected<item_id> take(const submit_batch& x) {
    if (refused.contains(x.info.collection))
      return caf::make_error(ec::not_found,
                             "there is no collection " + x.info.collection);
    for (const auto& row : rows)
      if (row.user == x.user && row.status.state == batch_state::processing
          && orders_meet(row.info, x.info))
        return caf::make_error(ec::already_exists, std::string{"not finished"});
    batch_row row;
    row.id = rows.size() + 1;
    row.user = x.user;
    row.info = x.info;
    row.status.state = batch_state::processing;
    rows.push_back(row);
    documents.push_back(*decode_batch_document(x.document));
    return row.id;
  }

  void finish_all() {
    for (auto& row : rows)
      row.status.state = batch_state::completed;
  }

  std::vector<std::string> paths_of(std::size_t batch) const {
    std::vector<std::string> out;
    const auto order = order_in(documents.at(batch).more);
    EXPECT_TRUE(order && *order);
    for (const auto& file : (**order).files)
      out.push_back(file.path);
    return out;
  }

  std::vector<batch_row> rows;
  std::vector<batch_document> documents;
  std::set<std::string> refused; ///< collections that are gone
};

class reconciler_test : public actor_fixture {
protected:
  /// The beginning of an hour.
  static constexpr micros time_us = 20'000 * one_day;

  reconciler_test() {
    shard = caf::actor_cast<shards_actor>(spawn_shard());
  }

  caf::actor spawn_shard() {
    auto out = sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](const watch_control& x) {
          watcher = x.who;
          return control_changed{std::make_shared<const control_state>(control),
                                 ++revision};
        },
      };
    });
    adopt(out);
    return out;
  }

  static reconciler_settings fixity(std::uint32_t count_max = 2'500) {
    reconciler_settings out;
    out.name = "fixity";
    out.count_max = count_max;
    return out;
  }

  static reconciler_settings deletions() {
    reconciler_settings out;
    out.name = "deletions";
    out.every_s = 60;
    out.query = due_query::deletions_missed;
    return out;
  }

  reconciler_actor start(std::vector<reconciler_settings> all) {
    operators::reconciler_options options;
    options.all = std::move(all);
    options.shard = shard;
    options.checks = checks;
    options.work = orders;
    options.submit = [this](const submit_batch& x) { return orders->take(x); };
    options.propose = [this](const std::vector<event>& changes) {
      for (const auto& x : changes) {
        if (auto wrong = rules::check(control, x))
          return wrong;
        rules::apply(control, x);
        ++proposals;
      }
      return caf::error{};
    };
    options.leads = [this] { return leads; };
    options.clock = engine_clock{time_us, started};
    return spawn(operators::reconciler, options);
  }

  void restart(reconciler_actor& who, std::vector<reconciler_settings> all) {
    caf::anon_send_exit(who, caf::exit_reason::kill);
    settle();
    who = start(std::move(all));
  }

  /// What operators have set is told to whoever follows it.
  void tell(const reconciler_actor& who) {
    caf::anon_send(
      who, control_changed{std::make_shared<const control_state>(control),
                           ++revision});
    settle();
  }

  std::shared_ptr<known_checks> checks = std::make_shared<known_checks>();
  std::shared_ptr<known_orders> orders = std::make_shared<known_orders>();
  control_state control;
  std::uint64_t revision = 0;
  caf::strong_actor_ptr watcher;
  shards_actor shard;
  bool leads = true;
  int proposals = 0;
  const std::chrono::steady_clock::time_point started = sched.clock().now();
};

TEST_F(reconciler_test, row_p32_queues_the_oldest_and_nothing_twice) {
  checks->add(6'000, "INST");
  start({fixity()});
  ASSERT_EQ(orders->rows.size(), 1u);
  const auto first = orders->paths_of(0);
  ASSERT_EQ(first.size(), 2'500u);
  EXPECT_EQ(first.front(), "data/0");
  EXPECT_EQ(first.back(), "data/2499");
  advance(1h);
  EXPECT_EQ(orders->rows.size(), 1u) << "the run before is not finished";
  orders->finish_all();
  checks->files.erase(checks->files.begin(), checks->files.begin() + 2'500);
  advance(1h);
  ASSERT_EQ(orders->rows.size(), 2u);
  const auto second = orders->paths_of(1);
  EXPECT_EQ(second.size(), 2'500u);
  EXPECT_EQ(second.front(), "data/2500");
}

TEST_F(reconciler_test, row_p32_one_who_waits_does_not_hold_up_others) {
  checks->add(3'000, "BIG");
  start({fixity()});
  ASSERT_EQ(orders->rows.size(), 1u);
  checks->add(10, "SMALL", 10 * one_day);
  advance(1h);
  ASSERT_EQ(orders->rows.size(), 2u);
  EXPECT_EQ(orders->rows[1].user, "SMALL");
  EXPECT_EQ(orders->paths_of(1).size(), 10u);
}

TEST_F(reconciler_test, a_restart_queues_nothing_twice) {
  checks->add(10, "INST");
  auto who = start({fixity()});
  ASSERT_EQ(orders->rows.size(), 1u);
  restart(who, {fixity()});
  EXPECT_EQ(orders->rows.size(), 1u);
  orders->finish_all();
  restart(who, {fixity()});
  EXPECT_EQ(orders->rows.size(), 1u) << "though that run is finished";
  advance(1h);
  EXPECT_EQ(orders->rows.size(), 2u) << "the next one";
}

TEST_F(reconciler_test, tries_again_soon_what_could_not_be_done) {
  checks->add(10, "INST");
  checks->away = true;
  start({fixity()});
  EXPECT_TRUE(orders->rows.empty());
  checks->away = false;
  advance(60s);
  EXPECT_EQ(orders->rows.size(), 1u);
}

TEST_F(reconciler_test, does_nothing_while_another_engine_leads) {
  leads = false;
  checks->add(10, "INST");
  start({fixity()});
  advance(1h);
  EXPECT_TRUE(orders->rows.empty());
  EXPECT_EQ(checks->asked, 0);
  leads = true;
  advance(1h);
  EXPECT_EQ(orders->rows.size(), 1u);
}

TEST_F(reconciler_test, queues_at_once_what_it_is_asked_for) {
  auto who = start({});
  checks->add(10, "INST");
  const auto done = ask<due_queued>(who, queue_due{due_query::fixity_due});
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(done->batches, 1u);
  EXPECT_EQ(done->files, 10u);
  const auto again = ask<due_queued>(who, queue_due{due_query::fixity_due});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->batches, 0u);
}

TEST_F(reconciler_test, what_no_collection_takes_holds_up_no_other) {
  checks->add(10, "GONE");
  checks->add(10, "INST", 10 * one_day);
  orders->refused = {"c-GONE"};
  start({fixity()});
  ASSERT_EQ(orders->rows.size(), 1u);
  EXPECT_EQ(orders->rows[0].user, "INST");
  orders->refused.clear();
  advance(1h);
  ASSERT_EQ(orders->rows.size(), 2u) << "it has stayed due";
  EXPECT_EQ(orders->rows[1].user, "GONE");
}

TEST_F(reconciler_test, gives_each_owner_one_object_back_a_day) {
  reconciler_settings spot;
  spot.name = "spot";
  spot.every_s = 86'400;
  spot.query = due_query::spot_restore;
  checks->spots = {{"A/x", "A", "c", 1}, {"B/y", "B", "c", 1}};
  auto who = start({spot});
  ASSERT_EQ(orders->rows.size(), 2u);
  EXPECT_EQ(orders->rows[0].info.type, "restore_object");
  EXPECT_EQ(orders->rows[0].info.title, "A/x");
  orders->finish_all();
  restart(who, {spot});
  advance(1h);
  EXPECT_EQ(orders->rows.size(), 2u);
  advance(24h);
  EXPECT_EQ(orders->rows.size(), 4u);
}

// -- deletions ----------------------------------------------------------------

class missed_deletions_test : public reconciler_test {
protected:
  deletion_changed request(const std::string& reference,
                           const std::string& object) {
    deletion_changed out;
    out.reference = reference;
    out.user = "INST";
    out.targets = {{object, "c-INST"}};
    out.asked_by = "operator=ann";
    out.asked_us = time_us - one_day;
    return out;
  }

  deletion_changed approved(deletion_changed x) {
    x.inst_approver = "operator=bob";
    x.inst_approved_us = time_us - one_day;
    return x;
  }

  void set(const deletion_changed& x) {
    control.deletions[x.reference] = x;
  }
};

TEST_F(missed_deletions_test, row_p33_queues_once_and_marks_what_is_approved) {
  auto rejected = request("del-rejected", "inst/a");
  rejected.rejected_by = "operator=bob";
  rejected.rejected_us = time_us - one_day;
  auto queued = approved(request("del-queued", "inst/b"));
  queued.queued_us = time_us - one_day;
  set(rejected);
  set(queued);
  set(request("del-asked", "inst/c"));
  set(approved(request("del-approved", "inst/d")));
  auto who = start({deletions()});
  ASSERT_EQ(orders->rows.size(), 1u);
  EXPECT_EQ(orders->rows[0].info.title, "inst/d");
  EXPECT_EQ(orders->rows[0].info.type, "delete_item");
  const auto order = order_in(orders->documents[0].more);
  ASSERT_TRUE(order && *order);
  EXPECT_EQ((**order).asked_by, "operator=ann");
  EXPECT_EQ((**order).inst_approver, "operator=bob");
  EXPECT_EQ((**order).deletion, "del-approved");
  EXPECT_EQ(control.deletions.at("del-approved").queued_us, time_us);
  tell(who);
  advance(60s);
  EXPECT_EQ(orders->rows.size(), 1u);
}

TEST_F(missed_deletions_test, row_p33_is_not_marked_before_it_is_queued) {
  set(approved(request("del-1", "inst/d")));
  submit_batch restoring;
  preservation_order order;
  order.object = "inst/d";
  const auto made =
    make_order(order, {.uuid = "bid-1", .user = "INST", .collection = "c"});
  restoring.user = "INST";
  restoring.info = made.info;
  restoring.document = encode(made.document);
  ASSERT_TRUE(orders->take(restoring));
  auto who = start({deletions()});
  EXPECT_EQ(orders->rows.size(), 1u) << "a restoration is not finished";
  EXPECT_EQ(control.deletions.at("del-1").queued_us, never);
  orders->finish_all();
  advance(60s);
  EXPECT_EQ(orders->rows.size(), 2u);
  EXPECT_NE(control.deletions.at("del-1").queued_us, never);
}

TEST_F(missed_deletions_test, what_no_collection_takes_stays_due) {
  set(approved(request("del-1", "inst/d")));
  auto other = approved(request("del-2", "inst/e"));
  other.targets[0].collection = "c-other";
  set(other);
  orders->refused = {"c-INST"};
  auto who = start({deletions()});
  ASSERT_EQ(orders->rows.size(), 1u) << "which holds up no other";
  EXPECT_EQ(orders->rows[0].info.title, "inst/e");
  EXPECT_EQ(control.deletions.at("del-1").queued_us, never)
    << "nothing was queued";
  tell(who);
  orders->refused.clear();
  advance(60s);
  ASSERT_EQ(orders->rows.size(), 2u);
  EXPECT_EQ(orders->rows[1].info.title, "inst/d");
  EXPECT_NE(control.deletions.at("del-1").queued_us, never);
}

TEST_F(missed_deletions_test, an_approval_is_queued_before_it_is_heard_of) {
  set(request("del-1", "inst/d"));
  auto who = start({deletions()});
  const auto agreed = approved(request("del-1", "inst/d"));
  // Shard 0 has it; what this engine follows comes a moment later.
  set(agreed);
  const auto done =
    ask<due_queued>(who, queue_due{due_query::deletions_missed, {agreed}});
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(done->batches, 1u);
  ASSERT_EQ(orders->rows.size(), 1u);
  EXPECT_NE(control.deletions.at("del-1").queued_us, never);
  tell(who);
  advance(60s);
  EXPECT_EQ(orders->rows.size(), 1u);
}

TEST_F(missed_deletions_test, an_order_whose_mark_was_lost_is_marked_only) {
  set(approved(request("del-1", "inst/d")));
  auto who = start({deletions()});
  ASSERT_EQ(orders->rows.size(), 1u);
  // The engine died before the mark was written.
  set(approved(request("del-1", "inst/d")));
  orders->finish_all();
  restart(who, {deletions()});
  EXPECT_EQ(orders->rows.size(), 1u);
  EXPECT_NE(control.deletions.at("del-1").queued_us, never);
}

TEST_F(missed_deletions_test, forgets_what_was_decided_long_ago) {
  auto x = request("del-1", "inst/d");
  x.rejected_by = "operator=bob";
  x.rejected_us = time_us - 91 * one_day;
  set(x);
  start({deletions()});
  EXPECT_TRUE(control.deletions.empty());
  EXPECT_EQ(proposals, 1);
}

} // namespace
} // namespace depositd::testing
