#include "actors/rules/fold/slice_fold.hpp"

#include "actors/rules/control/control.hpp"
#include "actors/rules/fold/state.hpp"
#include "messages/values/codec.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace depositd::rules {

template <class Row>
std::vector<Row> row_pool<Row>::take() {
  auto out = std::exchange(rows_, {});
  if (!spare_.empty())
    std::erase_if(out, [](const Row& x) { return x.id == 0; });
  spare_.clear();
  std::sort(out.begin(), out.end(),
            [](const Row& a, const Row& b) { return a.id < b.id; });
  return out;
}

namespace {

template <class Row>
std::vector<Row> taken(std::map<item_id, Row>& from) {
  std::vector<Row> out;
  out.reserve(from.size());
  for (auto& [id, row] : from)
    out.push_back(std::move(row));
  from.clear();
  return out;
}

} // namespace

slice_fold::slice_fold(sequence from) : state_(std::make_unique<state>()) {
  state_->from = from;
}

slice_fold::~slice_fold() = default;

void slice_fold::add(const record& x) {
  auto& s = *state_;
  s.user = x.user;
  for (const auto& e : x.events) {
    ++s.events;
    std::visit(
      [&](const auto& fields) {
        if constexpr (requires { fields.id; }) {
          s.id_max = std::max(s.id_max, fields.id);
          s.add(fields);
        } else if constexpr (requires { s.add(fields); }) {
          s.add(fields);
        } else {
          s.add_control(e);
        }
      },
      e);
  }
}

std::size_t slice_fold::events() const noexcept {
  return state_->events;
}

sequence slice_fold::from() const noexcept {
  return state_->from;
}

sequence slice_fold::reached() const noexcept {
  return state_->from + state_->events;
}

const std::unordered_map<item_id, body_location>&
slice_fold::failed_bodies() const noexcept {
  return state_->failed_taken;
}

std::uint64_t slice_fold::failed_bytes() const noexcept {
  return state_->failed_bytes;
}

std::uint64_t slice_fold::document_bytes() const noexcept {
  return state_->document_bytes;
}

void slice_fold::without_submissions(std::string queue) {
  state_->bare_queues.insert(std::move(queue));
}

slice slice_fold::take() {
  auto& s = *state_;
  slice out;
  out.from = s.from;
  out.last = reached();
  out.id_max = std::exchange(s.id_max, 0);
  out.items_put = s.puts.take();
  out.items_changed = s.changes.take();
  out.items_gone = std::exchange(s.gone, {});
  std::sort(out.items_gone.begin(), out.items_gone.end());
  out.submissions_put = s.submission_puts.take();
  out.submissions_changed = s.submission_changes.take();
  out.rings.reserve(s.rings.size());
  for (auto& [key, row] : s.rings)
    out.rings.push_back(std::move(row));
  std::sort(out.rings.begin(), out.rings.end(),
            [](const auto& a, const auto& b) {
              return std::tie(a.queue, a.user) < std::tie(b.queue, b.user);
            });
  for (auto& [key, value] : s.controls) {
    const bool gone = value.empty();
    out.controls.push_back({key.first, key.second, std::move(value), gone});
  }
  out.batches_put = taken(s.batch_puts);
  out.batches_changed = taken(s.batch_changes);
  out.batches_gone.assign(s.batches_gone.begin(), s.batches_gone.end());
  s.batches_gone.clear();
  out.jobs_put = taken(s.job_puts);
  out.jobs_changed = taken(s.job_changes);
  s.take_records(out);
  s.asked = {};
  s.entries.clear();
  s.rings.clear();
  s.controls.clear();
  s.from = out.last;
  s.events = 0;
  s.document_bytes = 0;
  return out;
}

/// An empty text stands for a row that goes.
void slice_fold::state::end_queue(const queue_retired& x) {
  for (const event& last :
       {event{queue_changed{x.queue, {}}}, event{queue_founded{x.queue, {}}}})
    controls[*control_key(last)].clear();
  for (const auto& who : x.users) {
    ring_key.assign(x.queue).append(1, '\n').append(who);
    rings[ring_key] = {.queue = x.queue, .user = who, .gone = true};
  }
}

void slice_fold::state::add_control(const event& x) {
  if (const auto* gone = std::get_if<queue_retired>(&x))
    return end_queue(*gone);
  if (const auto* queue = std::get_if<queue_changed>(&x);
      queue != nullptr && queue->settings.kind != queue_kind::deposit)
    bare_queues.insert(queue->queue);
  auto key = control_key(x);
  if (!key)
    return;
  auto& value = controls[std::move(*key)];
  value.clear();
  if (!ends_entry(x)) // what comes and goes for years leaves no rows
    encode(x, value);
}

void slice_fold::state::add_ring(const item_claimed& x) {
  if (x.stamp == 0) // claimed by id: nobody's turn
    return;
  auto& row = ring_of(x.queue);
  row.has_turn = true;
  row.stamp = x.stamp;
  row.credit = x.credit;
}

void slice_fold::state::add(const ring_paid& x) {
  auto& row = ring_of(x.queue);
  row.has_spent = true;
  row.spent = x.spent;
  row.floor = x.floor;
  row.since = x.since;
}

ring_row& slice_fold::state::ring_of(const std::string& queue) {
  ring_key.assign(queue).append(1, '\n').append(user);
  auto at = rings.find(std::string_view{ring_key});
  if (at == rings.end()) {
    at = rings.emplace(ring_key, ring_row{}).first;
    at->second.queue = queue;
    at->second.user = user;
    at->second.has_turn = false;
  }
  // Nothing of what was there before must come back.
  if (at->second.gone) {
    at->second.gone = false;
    at->second.has_turn = true;
    at->second.has_spent = true;
  }
  return at->second;
}

} // namespace depositd::rules
