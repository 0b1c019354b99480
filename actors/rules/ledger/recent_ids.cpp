#include "actors/rules/ledger/recent_ids.hpp"

#include <string>
#include <xxhash.h>

namespace depositd::rules {

recent_ids::key recent_ids::key_of(std::string_view user,
                                   std::string_view id) {
  std::string both;
  both.reserve(user.size() + id.size() + 1);
  both.append(user).append(1, '\n').append(id); // no user's name has a newline
  const auto out = XXH3_128bits(both.data(), both.size());
  return {out.low64, out.high64};
}

void recent_ids::forget_old(micros now) {
  while (!order_.empty()
         && (order_.size() > count_max_
             || order_.front().first + kept_us_ <= now)) {
    known_.erase(order_.front().second);
    order_.pop_front();
  }
}

recent_ids::answer recent_ids::see(std::string_view user, std::string_view id,
                                   std::uint64_t size, std::uint64_t digest,
                                   micros now) {
  forget_old(now);
  const auto name = key_of(user, id);
  const auto [at, fresh] = known_.try_emplace(name, content{size, digest});
  if (fresh) {
    order_.emplace_back(now, name);
    return answer::fresh;
  }
  const auto& before = at->second;
  const auto same = before.size == size
                    && (before.digest == 0 || digest == 0
                        || before.digest == digest);
  return same ? answer::repeated : answer::other_content;
}

void recent_ids::take_back(std::size_t count) {
  for (; count > 0 && !order_.empty(); --count) {
    known_.erase(order_.back().second);
    order_.pop_back();
  }
}

std::string id_of(const batch_info& x) {
  return '\n' + x.uuid; // no id of a deposit has a control character
}

std::uint64_t size_of(const batch_info& x) {
  std::string all;
  for (const auto* part :
       {&x.collection, &x.submitter, &x.type, &x.file_name, &x.title})
    all.append(*part).append(1, '\0');
  return XXH3_64bits(all.data(), all.size());
}

} // namespace depositd::rules
