#pragma once

// A shard that is fed records of sources.

#include "messages/sources.hpp"
#include "tests/support/polling_fixture.hpp"

#include <memory>

namespace depositd::testing {

class record_feeding_test : public polling_fixture {
protected:
  using states = std::vector<record_state>;

  static constexpr auto unknown = record_state::unknown;
  static constexpr auto queued = record_state::queued;
  static constexpr auto finished = record_state::finished;
  static constexpr auto failed = record_state::failed;

  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", settings}}));
    scheduler_changed scheduler;
    scheduler.name = "main";
    scheduler.settings.queue = "q";
    ASSERT_TRUE(change({scheduler}));
    add_source("a", 7);
  }

  static source_changed a_source(const std::string& name, micros made_us) {
    source_changed out;
    out.name = name;
    out.settings.kind = source_kind::folder;
    out.settings.scheduler = "main";
    out.settings.from.path = "/in";
    out.made_us = made_us;
    return out;
  }

  void add_source(const std::string& name, micros made_us) {
    const auto done = change({a_source(name, made_us)});
    ASSERT_TRUE(done) << render(done.error());
  }

  void remove_source(const std::string& name) {
    source_changed gone;
    gone.name = name;
    gone.removed = true;
    ASSERT_TRUE(change({gone}));
  }

  static feed_records::one record_of(const std::string& key,
                                     const std::string& user = "ann") {
    return {key, user, "body of " + key, false};
  }

  feed_records message(const strings& keys) const {
    feed_records out;
    out.queue = "q";
    out.source = "a";
    out.made_us = made_us;
    out.known_max = known_max;
    for (const auto& key : keys)
      out.records.push_back(record_of(key));
    return out;
  }

  /// What was known of them before.
  states feed(const feed_records& x) {
    auto out = ask<records_fed>(core, x);
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->was : states{};
  }

  states feed(const strings& keys) {
    return feed(message(keys));
  }

  caf::error refusal_of(const feed_records& x) {
    auto out = ask<records_fed>(core, x);
    EXPECT_FALSE(out);
    return out ? caf::error{} : out.error();
  }

  record_found look_up(const std::string& key) {
    auto out = ask<record_found>(core, look_up_record{"q", "a", made_us, key});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? *out : record_found{};
  }

  record_state state_of(const std::string& key) {
    return look_up(key).state;
  }

  records_counted counts() {
    auto out = ask<records_counted>(core, count_records{"q", "a", made_us});
    EXPECT_TRUE(out);
    return out ? *out : records_counted{};
  }

  queue_measured measured(const strings& users = {},
                          const std::string& queue = "q") {
    auto out = ask<queue_measured>(core, measure_queue{queue, users});
    EXPECT_TRUE(out);
    return out ? *out : queue_measured{};
  }

  std::vector<record_row> failed_rows() {
    failed_query query;
    query.queue = "q";
    query.source = "a";
    query.made_us = made_us;
    auto out = ask<failed_found>(read_model, query);
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->rows : std::vector<record_row>{};
  }

  /// Takes and ends so many items.
  void work_off(std::uint32_t count, verdict says = verdict::done) {
    const auto taken = poll("q", count);
    EXPECT_EQ(taken.size(), count);
    finish("q", names_of(taken), says);
  }

  /// Lets the projector take everything into the tables.
  void project() {
    ASSERT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  }

  control_snapshot control() {
    auto known = ask<control_changed>(core, watch_control{nullptr});
    EXPECT_TRUE(known);
    return known ? known->state : nullptr;
  }

  queue_settings settings;
  micros made_us = 7;
  std::uint64_t known_max = 1'000;
};

} // namespace depositd::testing
