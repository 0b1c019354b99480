#include "actors/rules/dedup.hpp"

#include <iterator>

namespace depositd::rules {

bool dedup_index::alone(by_digest::const_iterator at) const noexcept {
  const auto digest = at->first.first;
  const auto next = std::next(at);
  return (at == waiting_.begin() || std::prev(at)->first.first != digest)
         && (next == waiting_.end() || next->first.first != digest);
}

void dedup_index::add(std::uint64_t digest, copy x) {
  const auto [at, fresh] = waiting_.try_emplace({digest, x.id}, x.member);
  if (fresh && alone(at))
    ++distinct_;
}

void dedup_index::remove(std::uint64_t digest, item_id id) {
  const auto at = waiting_.find({digest, id});
  if (at == waiting_.end())
    return;
  if (alone(at))
    --distinct_;
  waiting_.erase(at);
}

dedup_index::collapse dedup_index::hand_out(std::uint64_t digest, copy chosen) {
  if (!waiting_.contains({digest, chosen.id}))
    return {chosen, {}};
  const auto oldest = waiting_.lower_bound({digest, 0});
  collapse out{{oldest->first.second, oldest->second}, {}};
  auto at = std::next(oldest);
  for (; at != waiting_.end() && at->first.first == digest; ++at)
    out.collapsed.push_back({at->first.second, at->second});
  waiting_.erase(oldest, at);
  --distinct_;
  return out;
}

std::size_t dedup_index::distinct() const noexcept {
  return distinct_;
}

} // namespace depositd::rules
