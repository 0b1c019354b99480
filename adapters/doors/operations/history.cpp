#include "adapters/doors/operations/history.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace depositd {

namespace {

/// Of queues of deposits and messages: their stages and those who are told of
/// an end would count everything several times.
queue_counters counts_of_deposits(const lasting_counters& counts) {
  queue_counters out;
  for (const auto& [name, x] : counts.queues())
    if (x.deposits)
      out.add(x.counters);
  return out;
}

double risen_by(const queue_counters& from, const queue_counters& to,
                queue_count which) {
  return static_cast<double>(to.n[which] - from.n[which]);
}

} // namespace

void history::put(step x) {
  steps_.push_back(x);
  if (steps_.size() > history_steps)
    steps_.pop_front();
}

void history::skip() {
  put({});
}

void history::add(const engine_numbers& x, const lasting_counters& counts) {
  std::uint64_t waiting = 0, claimed = 0;
  auto oldest = never;
  for (const auto& shard : x.shards)
    for (const auto& ring : shard.rings) {
      waiting += ring.report.ready;
      claimed += ring.report.in_flight;
      if (ring.oldest_us != never)
        oldest =
          oldest == never ? ring.oldest_us : std::min(oldest, ring.oldest_us);
    }
  step out;
  const auto now = counts_of_deposits(counts);
  if (before_) {
    out[0] = risen_by(*before_, now, count_entered);
    out[1] = risen_by(*before_, now, count_finished);
    out[2] = risen_by(*before_, now, count_failed);
  }
  before_ = now;
  out[3] = static_cast<double>(waiting);
  out[4] = static_cast<double>(claimed);
  out[5] =
    oldest == never
      ? 0
      : static_cast<double>(std::max<micros>(x.now_us - oldest, 0)) / 1e6;
  put(out);
}

std::string history::document(micros now_us) const {
  constexpr micros step_us = std::chrono::microseconds{history_step}.count();
  auto series = nlohmann::json::object();
  const auto unknown = history_steps - steps_.size();
  for (std::size_t i = 0; i < history_series.size(); ++i) {
    auto values = nlohmann::json::array();
    for (std::size_t j = 0; j < unknown; ++j)
      values.push_back(nullptr);
    for (const auto& one : steps_)
      values.push_back(one[i] ? nlohmann::json(*one[i]) : nullptr);
    series[history_series[i]] = std::move(values);
  }
  return json_text(nlohmann::json{
    {"step_s", history_step.count()},
    {"from_us", now_us - static_cast<micros>(history_steps) * step_us},
    {"series", std::move(series)}});
}

} // namespace depositd
