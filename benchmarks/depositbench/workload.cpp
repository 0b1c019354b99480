#include "benchmarks/depositbench/workload.hpp"

#include <algorithm>
#include <cstring>

namespace depositd::bench {

workload::workload(std::uint32_t users, std::uint32_t body_bytes,
                   std::uint64_t seed)
  : random_(seed) {
  double sum = 0;
  for (std::uint32_t i = 1; i <= users; ++i)
    cumulated_.push_back(sum += 1.0 / i);
  while (text_.size() < body_bytes)
    text_ += "{\"doi\":\"10.5555/" + std::to_string(random_() % 1'000'000)
             + "\",\"title\":\"On queues\"},";
  text_.resize(std::max<std::size_t>(body_bytes, sizeof(std::uint64_t)));
}

new_item workload::next(std::uint64_t mark) {
  std::uniform_real_distribution<double> draw{0, cumulated_.back()};
  const auto at
    = std::lower_bound(cumulated_.begin(), cumulated_.end(), draw(random_));
  new_item out;
  out.user = user_name(
    static_cast<std::uint32_t>(std::distance(cumulated_.begin(), at)));
  out.body = text_;
  std::memcpy(out.body.data(), &mark, sizeof(mark));
  return out;
}

std::vector<new_item> workload::batch(std::size_t count, std::uint64_t mark) {
  std::vector<new_item> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(next(mark));
  return out;
}

std::uint64_t mark_of(const std::string& body) {
  std::uint64_t out = 0;
  if (body.size() >= sizeof(out))
    std::memcpy(&out, body.data(), sizeof(out));
  return out;
}

std::string user_name(std::uint32_t number) {
  return "user-" + std::to_string(number);
}

} // namespace depositd::bench
