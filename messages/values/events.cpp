#include "messages/values/events.hpp"

#include <utility>

namespace depositd {

event::event() = default;
event::event(const event& x) = default;
event::event(event&& x) noexcept = default;
event::~event() = default;
event& event::operator=(const event& x) = default;
event& event::operator=(event&& x) noexcept = default;

template <class T>
  requires is_kind_of<T, event_kinds>
event::event(T what) : event_kinds(std::in_place_type<T>, std::move(what)) {
  // nop
}

bool operator==(const event& x, const event& y) {
  return static_cast<const event_kinds&>(x)
         == static_cast<const event_kinds&>(y);
}

template event::event(item_enqueued);
template event::event(submission_received);
template event::event(item_claimed);
template event::event(claim_renewed);
template event::event(item_released);
template event::event(item_finished);
template event::event(item_parked);
template event::event(body_compacted);
template event::event(submission_recorded);
template event::event(queue_changed);
template event::event(user_limits_changed);
template event::event(user_eligibility_changed);
template event::event(account_changed);
template event::event(processor_changed);
template event::event(server_changed);
template event::event(configuration_seen);
template event::event(key_changed);
template event::event(move_changed);
template event::event(item_moved);
template event::event(record_rejected);
template event::event(operator_changed);
template event::event(queue_founded);
template event::event(queue_retired);
template event::event(quota_changed);
template event::event(key_terms_changed);
template event::event(key_used);
template event::event(collection_changed);
template event::event(pipeline_changed);
template event::event(pipelines_seen);
template event::event(batch_received);
template event::event(batch_moved);
template event::event(batch_counted);
template event::event(job_created);
template event::event(job_moved);
template event::event(batch_forgotten);
template event::event(contact_changed);
template event::event(submission_ended);
template event::event(topic_changed);
template event::event(item_copied);
template event::event(item_delayed);
template event::event(processor_placed);
template event::event(deletion_changed);
template event::event(source_changed);
template event::event(scheduler_changed);
template event::event(source_read);
template event::event(sources_seen);
template event::event(fairness_changed);
template event::event(fairness_seen);
template event::event(record_taken);
template event::event(record_ended);
template event::event(record_refused);
template event::event(records_forgotten);
template event::event(ring_paid);
template event::event(operator_token_changed);

} // namespace depositd
