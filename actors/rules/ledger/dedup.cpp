#include "actors/rules/ledger/dedup.hpp"

namespace depositd::rules {

bool dedup_index::arrive(std::uint64_t digest, const copy& x) {
  if (!waiting_.try_emplace({digest, x.id}, x).second)
    return false;
  return admitted_.try_emplace(digest, x.id).second;
}

std::vector<dedup_index::copy> dedup_index::deliver(std::uint64_t digest,
                                                    item_id id) {
  std::vector<copy> out;
  if (!waiting_.contains({digest, id}))
    return out;
  const auto first = waiting_.lower_bound({digest, 0});
  auto at = first;
  for (; at != waiting_.end() && at->first.first == digest; ++at)
    if (at->first.second != id)
      out.push_back(at->second);
  waiting_.erase(first, at);
  admitted_.erase(digest);
  return out;
}

std::optional<dedup_index::copy> dedup_index::left(std::uint64_t digest,
                                                   item_id id) {
  if (waiting_.erase({digest, id}) == 0)
    return std::nullopt;
  const auto leader = admitted_.find(digest);
  if (leader->second != id)
    return std::nullopt;
  const auto next = waiting_.lower_bound({digest, 0});
  if (next == waiting_.end() || next->first.first != digest) {
    admitted_.erase(leader);
    return std::nullopt;
  }
  leader->second = next->first.second;
  return next->second;
}

bool dedup_index::admitted(std::uint64_t digest, item_id id) const noexcept {
  const auto at = admitted_.find(digest);
  return at != admitted_.end() && at->second == id;
}

} // namespace depositd::rules
