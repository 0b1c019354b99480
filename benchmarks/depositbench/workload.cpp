#include "benchmarks/depositbench/workload.hpp"

#include "messages/values/hex.hpp"

#include <algorithm>
#include <charconv>

namespace depositd::bench {

namespace {

constexpr std::string_view before_mark = "{\"mark\":\"";
constexpr std::string_view after_mark = "\",\"text\":\"";
constexpr std::string_view after_text = "\"}";
constexpr std::size_t mark_digits = 16;

} // namespace

workload::workload(std::uint32_t users, std::uint32_t body_bytes,
                   std::uint64_t seed)
  : random_(seed) {
  double sum = 0;
  for (std::uint32_t i = 1; i <= users; ++i)
    cumulated_.push_back(sum += 1.0 / i);
  text_ = before_mark;
  text_.append(mark_digits, '0');
  text_ += after_mark;
  const auto fixed = text_.size() + after_text.size();
  while (text_.size() < body_bytes)
    text_ +=
      "doi:10.5555/" + std::to_string(random_() % 1'000'000) + " On queues; ";
  text_.resize(std::max<std::size_t>(body_bytes, fixed) - after_text.size());
  text_ += after_text;
}

std::uint32_t workload::draw_user() {
  if (cumulated_.size() == 1)
    return 0;
  std::uniform_real_distribution<double> draw{0, cumulated_.back()};
  const auto at =
    std::lower_bound(cumulated_.begin(), cumulated_.end(), draw(random_));
  return static_cast<std::uint32_t>(std::distance(cumulated_.begin(), at));
}

void workload::append_body(std::string& to, std::uint64_t mark) const {
  const auto at = to.size() + before_mark.size();
  to += text_;
  put_hex(to.data() + at, mark, int{mark_digits});
}

new_item workload::next(std::uint64_t mark) {
  new_item out;
  out.user = user_name(draw_user());
  append_body(out.body, mark);
  return out;
}

std::vector<new_item> workload::batch(std::size_t count, std::uint64_t mark) {
  std::vector<new_item> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(next(mark));
  return out;
}

std::uint64_t mark_of(std::string_view body) {
  std::uint64_t out = 0;
  if (body.size() >= before_mark.size() + mark_digits) {
    const auto* digits = body.data() + before_mark.size();
    std::from_chars(digits, digits + mark_digits, out, 16);
  }
  return out;
}

std::string user_name(std::uint32_t number) {
  return "user-" + std::to_string(number);
}

} // namespace depositd::bench
