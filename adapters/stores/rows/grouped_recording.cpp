#include "adapters/stores/rows/grouped_recording.hpp"

#include <exception>
#include <string>
#include <utility>

namespace depositd::rows {

caf::expected<grouped_recording::results>
grouped_recording::record(const doi_registration& what) {
  one own{.what = &what};
  std::unique_lock lock{guard_};
  waiting_.push_back(&own);
  if (writing_)
    own.told.wait(lock, [&] { return own.result || own.leads; });
  if (own.result)
    return std::move(*own.result);
  writing_ = true;
  const auto group = take_group(); // the first of them is this one
  lock.unlock();
  auto written = write_group(group);
  lock.lock();
  for (std::size_t i = 0; i < group.size(); ++i) {
    group[i]->result = std::move(written[i]);
    group[i]->told.notify_one();
  }
  writing_ = !waiting_.empty();
  if (writing_) {
    waiting_.front()->leads = true;
    waiting_.front()->told.notify_one();
  }
  return std::move(*own.result);
}

std::size_t grouped_recording::waiting() const {
  const std::lock_guard lock{guard_};
  return waiting_.size();
}

std::vector<grouped_recording::one*> grouped_recording::take_group() {
  std::vector<one*> out;
  std::size_t records = 0;
  while (!waiting_.empty() && records < records_max) {
    records += waiting_.front()->what->records.size() + 1;
    out.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return out;
}

grouped_recording::outcomes
grouped_recording::write_group(const std::vector<one*>& all) const {
  group which;
  for (const auto* x : all)
    which.push_back(x->what);
  // Nobody must wait for ever for one who writes no more.
  try {
    return write_(which);
  } catch (const std::exception& x) {
    return outcomes(all.size(), caf::make_error(ec::store_failed,
                                                std::string{x.what()}));
  }
}

grouped_recording::outcomes write_together(
  const grouped_recording::group& all,
  const std::function<caf::expected<std::vector<grouped_recording::results>>(
    const grouped_recording::group&)>& write) {
  grouped_recording::outcomes out;
  auto done = write(all);
  if (done) {
    for (auto& x : *done)
      out.emplace_back(std::move(x));
    return out;
  }
  // What the store cannot do now it does for nobody; all else is about one.
  if (all.size() == 1 || done.error() == ec::store_failed)
    return grouped_recording::outcomes(all.size(), done.error());
  for (const auto* x : all) {
    auto alone = write({x});
    if (alone)
      out.emplace_back(std::move(alone->front()));
    else
      out.emplace_back(std::move(alone.error()));
  }
  return out;
}

} // namespace depositd::rows
