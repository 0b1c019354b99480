#pragma once

// Schedulers between sources in memory and a stand-in for the shard of their
// queue, which is their own shard too.

#include "actors/sources/schedulers.hpp"
#include "messages/shard.hpp"
#include "messages/sources.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace depositd::testing {

/// To the stand-in: take what waits.
struct take_waiting {};

} // namespace depositd::testing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::testing::take_waiting)

namespace depositd::testing {

/// What the stand-in has, and what it is to do next.
struct pulled_queue {
  struct item {
    std::string source;
    std::string key;
    std::string user;
    std::string body;
    bool over = false;
  };
  control_state control;
  std::vector<caf::strong_actor_ptr> watchers;
  caf::strong_actor_ptr schedulers; ///< who met it

  std::vector<item> items;                             ///< as they came
  std::set<std::pair<std::string, std::string>> known; ///< source, key
  std::vector<bad_record> bad;
  std::vector<source_read> positions;
  std::uint64_t foreign = 0; ///< items of others
  std::uint64_t left_most = 0;

  std::deque<caf::error> feed_errors; ///< instead of taking a message
  bool answers_lost = false;          ///< takes a message, and says it did not
  bool waits = false;                 ///< takes them when it is let go
  std::vector<std::function<void()>> waiting;
  bool keeps = true;     ///< positions
  bool counts = true;    ///< records
  std::size_t asked = 0; ///< how much is left
  std::size_t users_asked_most = 0; ///< in one question
  std::map<std::string, int> users_asked; ///< how often
  std::size_t feeds_well = 0; ///< so often before `feed_errors`

  std::uint64_t left() const {
    const auto live = std::count_if(items.begin(), items.end(),
                                    [](const auto& x) { return !x.over; });
    return foreign + static_cast<std::uint64_t>(live);
  }

  std::uint64_t left_of(const std::string& user) const {
    return static_cast<std::uint64_t>(
      std::count_if(items.begin(), items.end(),
                    [&](const auto& x) { return !x.over && x.user == user; }));
  }

  /// Ends so many of the oldest items.
  void finish(std::size_t count) {
    for (auto& x : items)
      if (!x.over && count > 0) {
        x.over = true;
        --count;
      }
  }

  std::vector<std::string> keys_of(const std::string& source) const {
    std::vector<std::string> out;
    for (const auto& x : items)
      if (x.source == source)
        out.push_back(x.key);
    return out;
  }

  records_fed take(const feed_records& x) {
    records_fed out;
    for (const auto& one : x.records) {
      const bool fresh =
        known.insert({x.source, one.key}).second || one.by_hand;
      out.was.push_back(fresh ? record_state::unknown : record_state::queued);
      if (fresh)
        items.push_back({x.source, one.key, one.user, one.body});
    }
    bad.insert(bad.end(), x.bad.begin(), x.bad.end());
    left_most = std::max(left_most, left());
    return out;
  }
};

inline caf::behavior pulled_queue_shard(caf::event_based_actor* self,
                                        std::shared_ptr<pulled_queue> has) {
  return {
    [=](const watch_control& x) -> caf::result<control_changed> {
      has->watchers.push_back(x.who);
      return control_changed{std::make_shared<control_state>(has->control), 1};
    },
    [=](const meet_schedulers& x) { has->schedulers = x.who; },
    [=](const keep_position& x) -> caf::result<done> {
      if (!has->keeps)
        return ec::store_failed;
      has->positions.push_back(x.what);
      has->control.positions[x.what.source] = x.what;
      return done{};
    },
    [=](const feed_records& x) -> caf::result<records_fed> {
      if (has->waits) {
        auto later = self->make_response_promise<records_fed>();
        has->waiting.push_back([=]() mutable {
          if (has->feed_errors.empty()) {
            later.deliver(has->take(x));
          } else {
            later.deliver(has->feed_errors.front());
            has->feed_errors.pop_front();
          }
        });
        return later;
      }
      if (has->feeds_well > 0) {
        --has->feeds_well;
      } else if (!has->feed_errors.empty()) {
        const auto why = has->feed_errors.front();
        has->feed_errors.pop_front();
        return why;
      }
      auto out = has->take(x);
      if (has->answers_lost)
        return ec::store_failed;
      return out;
    },
    [=](take_waiting) {
      for (const auto& take : std::exchange(has->waiting, {}))
        take();
    },
    [=](const measure_queue& x) -> caf::result<queue_measured> {
      ++has->asked;
      has->users_asked_most = std::max(has->users_asked_most, x.users.size());
      queue_measured out{has->left(), {}};
      for (const auto& user : x.users) {
        ++has->users_asked[user];
        out.of_users.push_back(has->left_of(user));
      }
      return out;
    },
    [=](const count_records& x) -> caf::result<records_counted> {
      if (!has->counts)
        return ec::store_failed;
      records_counted out;
      for (const auto& one : has->items)
        if (one.source == x.source)
          ++(one.over ? out.finished : out.queued);
      return out;
    },
    [=](const look_up_record& x) -> caf::result<record_found> {
      record_found out;
      for (const auto& one : has->items)
        if (one.source == x.source && one.key == x.key) {
          out.state = one.over ? record_state::finished : record_state::queued;
          out.user = one.user;
        }
      return out;
    },
  };
}

/// What a source has, and what its reader is to do next.
struct memory_source {
  std::vector<pulled_record> records;        ///< the cursor counts them
  std::map<std::size_t, std::string> faults; ///< of records, by place
  std::deque<caf::error> errors;
  std::uint64_t more = 0; ///< brings so many more than it is asked for
  std::uint64_t brings = 1'000'000; ///< at most
  bool from_the_start = false;      ///< it has no cursor
  std::vector<batch_request> asked;
  std::vector<std::string> applied;
  std::size_t deaf = 0; ///< so often it does not hear what was applied
  std::size_t readers = 0;

  void add(std::size_t count, const std::string& user = "u") {
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = std::to_string(records.size());
      records.push_back({"k" + number, user, "{\"n\":" + number + "}", ""});
    }
  }
};

class memory_reader final : public source_reader {
public:
  explicit memory_reader(std::shared_ptr<memory_source> from)
    : from_(std::move(from)) {
    ++from_->readers;
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override {
    from_->asked.push_back(x);
    if (!from_->errors.empty()) {
      auto why = from_->errors.front();
      from_->errors.pop_front();
      return why;
    }
    pulled_batch out;
    const auto count =
      std::min<std::uint64_t>(x.limit + from_->more, from_->brings);
    const auto begin = x.cursor.empty() ? std::size_t{0} : std::stoul(x.cursor);
    const auto end =
      std::min<std::size_t>(begin + count, from_->records.size());
    for (auto i = begin; i < end; ++i) {
      auto one = from_->records[i];
      if (!from_->from_the_start)
        one.cursor = std::to_string(i + 1);
      if (const auto fault = from_->faults.find(i);
          fault != from_->faults.end())
        out.bad.push_back(
          {one.key, one.user, fault->second, one.body, out.records.size()});
      else
        out.records.push_back(std::move(one));
    }
    out.has_cursor = !from_->from_the_start;
    if (out.has_cursor)
      out.cursor = std::to_string(end);
    out.has_total = true;
    out.total = from_->records.size();
    return out;
  }

  void cancel() noexcept override {
    // Nothing is ever waited for.
  }

  caf::error applied(const std::vector<std::string>& keys) override {
    if (from_->deaf > 0) {
      --from_->deaf;
      return caf::make_error(ec::store_failed, std::string{"not now"});
    }
    from_->applied.insert(from_->applied.end(), keys.begin(), keys.end());
    return {};
  }

private:
  std::shared_ptr<memory_source> from_;
};

/// One scheduler, `plan`, which feeds the queue `work`.
class sources_fixture : public actor_fixture {
protected:
  using strings = std::vector<std::string>;

  sources_fixture() {
    plan.name = "plan";
    plan.settings.queue = "work";
    options.threads = false;
    options.clock = engine_clock{time_us, sched.clock().now()};
    options.running = std::make_shared<depositd::sources::running_count>();
    options.make_reader = [this](const std::string& name,
                                 const source_settings&)
      -> caf::expected<std::unique_ptr<source_reader>> {
      return std::unique_ptr<source_reader>{
        std::make_unique<memory_reader>(from[name])};
    };
  }

  /// A source with so many records; set before or after `start`.
  memory_source& has(const std::string& name, std::size_t records = 0) {
    auto& out = from[name];
    out = std::make_shared<memory_source>();
    out->add(records);
    source_changed x;
    x.name = name;
    x.made_us = time_us;
    x.settings.kind = source_kind::folder;
    x.settings.scheduler = plan.name;
    x.settings.user_field = "user";
    x.settings.capacity = 50;
    queue->control.sources[name] = x;
    return *out;
  }

  source_changed& set_of(const std::string& name) {
    return queue->control.sources[name];
  }

  void start() {
    queue->control.schedulers[plan.name] = plan;
    const auto shard = spawn(pulled_queue_shard, queue);
    const auto who = caf::actor_cast<caf::strong_actor_ptr>(shard);
    options.shards = caf::actor_cast<shards_actor>(who);
    options.own = caf::actor_cast<shard_inside_actor>(who);
    manager = spawn(depositd::sources::schedulers, options);
    settle();
  }

  /// All of it as of a new start of the engine.
  void restart() {
    caf::anon_send_exit(manager, caf::exit_reason::kill);
    queue->watchers.clear();
    settle();
    start();
  }

  /// Tells what was set since.
  void tell() {
    if (queue->control.schedulers.contains(plan.name))
      queue->control.schedulers[plan.name] = plan;
    const control_changed news{std::make_shared<control_state>(queue->control),
                               2};
    for (const auto& who : queue->watchers)
      caf::anon_send(caf::actor_cast<caf::actor>(who), news);
    settle();
  }

  /// Time goes on in small steps, so that whatever waits comes.
  void go(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds step{10};
    for (; time.count() > 0; time -= step)
      advance(std::min(step, time));
  }

  /// Buffers fill up first, behind items of others; then the queue is empty.
  void start_with_full_buffers() {
    queue->foreign = plan.settings.high;
    start();
    queue->foreign = 0;
    go(std::chrono::milliseconds{500});
  }

  scheduler_report report() {
    auto out = ask<schedulers_reported>(manager, report_schedulers{plan.name});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    if (!out || out->schedulers.empty())
      return {};
    return out->schedulers.front();
  }

  source_report report_of(const std::string& source) {
    for (const auto& x : report().sources)
      if (x.name == source)
        return x;
    ADD_FAILURE() << "no source " << source;
    return {};
  }

  static strings keys(std::size_t begin, std::size_t end) {
    strings out;
    for (auto i = begin; i < end; ++i)
      out.push_back("k" + std::to_string(i));
    return out;
  }

  static constexpr micros time_us = 1'700'000'000'000'000;

  std::shared_ptr<pulled_queue> queue = std::make_shared<pulled_queue>();
  std::map<std::string, std::shared_ptr<memory_source>> from;
  scheduler_changed plan;
  depositd::sources::schedulers_options options;
  schedulers_actor manager;
};

} // namespace depositd::testing
