#pragma once

// What happened to deposits, batches and jobs, as spans. Each belongs to a
// trace from the moment it came: its sender's, or one of its own.

#include "messages/values/events.hpp"
#include "messages/values/spans.hpp"
#include "messages/values/trace_book.hpp"
#include "messages/values/trace_context.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::rules {

/// What a record does not say of itself.
struct seen_record {
  micros at_us = never; ///< when it was read: ends what has no time of its own
  std::map<item_id, std::string> traceparents = {}; ///< of batches
};

/// Makes spans of records in the journal's order: `received`, under which are
/// `queued`, `handed_out` or `stage:NAME` as often as it happens, and
/// `published` when the outcome is durable. Ids follow from the trace and the
/// item, so a record that is read twice makes the same spans twice.
class span_maker {
public:
  /// What comes while so many are under way is not traced.
  /// `messages`: what is known of a message by its number; null: nothing.
  explicit span_maker(std::size_t under_way_max = 200'000,
                      std::function<std::optional<noted_trace>(item_id)>
                        messages = nullptr)
    : under_way_max_(under_way_max), messages_(std::move(messages)) {
    // nop
  }

  void take(const record& x, const seen_record& seen);

  /// All that were made since the last call.
  std::vector<span> spans();

  /// That are traced and not yet at their end.
  std::size_t under_way() const noexcept {
    return works_.size();
  }

  /// That were not traced, as there were too many.
  std::uint64_t passed() const noexcept {
    return passed_;
  }

private:
  /// A deposit, batch or job under way.
  struct work {
    trace_place at;
    std::string root; ///< its span `received`
    std::string user;
    std::string queue;
    bool staged = false;       ///< a batch or a job
    micros since_us = never;   ///< waits since
    micros claimed_us = never; ///< never: it waits
    std::uint32_t attempt = 0;
    std::uint32_t waits = 0; ///< spans `queued` so far
    std::uint32_t hand_outs = 0;
    std::uint32_t ends = 0;
    std::string processor;
  };

  struct ended {
    micros at_us = never;
    bool failed = false;
    std::string reason;
  };

  template <class Other>
  void see(const Other&) {
    // nothing that anybody follows
  }

  void see(const submission_received& x);
  void see(const submission_recorded& x);
  void see(const item_claimed& x);
  void see(const item_released& x);
  void see(const item_moved& x);
  void see(const item_finished& x);
  void see(const submission_ended& x);
  void see(const batch_received& x);
  void see(const batch_moved& x);
  void see(const job_created& x);
  void see(const job_moved& x);

  /// A message whose sender gave a trace: its first claim tells of it.
  void meet_message(const item_claimed& x);
  work* begin(item_id id, trace_place at, const std::string& queue,
              micros at_us, bool staged);
  void end_claim(item_id id, work& x, const ended& how);
  void move(item_id id, work& x, const item_place& place, const ended& how);
  void publish(item_id id, work& x, const ended& how,
               const std::string& outcome);
  template <class End>
  void finish(const End& x);
  span& add(item_id id, const work& x, std::string name, std::uint32_t number);

  std::size_t under_way_max_;
  std::function<std::optional<noted_trace>(item_id)> messages_;
  std::unordered_map<item_id, work> works_;
  std::vector<span> spans_;
  std::uint64_t passed_ = 0;
  const std::string* user_ = nullptr; ///< of the record at hand
  const seen_record* seen_ = nullptr;
};

} // namespace depositd::rules
