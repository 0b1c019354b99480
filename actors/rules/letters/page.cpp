#include "actors/rules/letters/page.hpp"

#include "messages/values/cut_text.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules {

namespace {

/// How many records a search reads of each partition at a time, and how often.
constexpr std::int64_t searched_at_once = 2'000;
constexpr int parts_max = 10;

/// What a reason, a key or the like may take of a list.
constexpr std::size_t listed_bytes_max = 1'024;

/// Anybody may write to the topic: what is long is cut.
letter_facts listed(letter_facts x) {
  for (auto* text :
       {&x.event_id, &x.topic, &x.partition, &x.offset, &x.reason, &x.key})
    text->resize(beginning_of(*text, listed_bytes_max).size());
  return x;
}

} // namespace

letter_page::letter_page(letter_query what, letter_ranges all,
                         const letter_bounds& after)
  : what_(std::move(what)), all_(std::move(all)) {
  for (const auto& [partition, range] : all_) {
    const auto known = after.find(partition);
    at_[partition] = known == after.end()
                       ? range.high
                       : std::clamp(known->second, range.low, range.high);
  }
}

bool letter_page::more() const {
  return std::any_of(at_.begin(), at_.end(), [&](const auto& x) {
    return x.second > all_.at(x.first).low;
  });
}

bool letter_page::matches(const letter_facts& x) const {
  return (what_.key.empty() || x.key == what_.key)
         && x.reason.find(what_.text) != std::string::npos;
}

std::int64_t letter_page::step() const {
  return what_.key.empty() && what_.text.empty() ? what_.count_max
                                                 : searched_at_once;
}

std::optional<letter_span> letter_page::wants() {
  if (full() || !more() || parts_++ == parts_max)
    return std::nullopt;
  letter_bounds to;
  begun_.clear();
  read_.clear();
  for (const auto& [partition, bound] : at_) {
    const auto low = all_.at(partition).low;
    if (bound <= low)
      continue;
    begun_[partition] = std::max(low, bound - step());
    to[partition] = bound;
  }
  return letter_span{begun_, to};
}

void letter_page::add(const letter_place& at, letter_facts x) {
  read_[at.partition].push_back({at.offset, listed(std::move(x))});
}

/// Until the page is full, or nothing is left of a partition that has more: its
/// next may be newer than what others have.
void letter_page::merge() {
  while (!full()) {
    auto newest = begun_.end();
    for (auto at = begun_.begin(); at != begun_.end(); ++at) {
      const auto& [partition, begin] = *at;
      const auto& own = read_[partition];
      if (own.empty())
        at_[partition] = begin;
      if (own.empty() && begin > all_.at(partition).low)
        return;
      if (!own.empty()
          && (newest == begun_.end()
              || own.back().facts.written_us
                   > read_[newest->first].back().facts.written_us))
        newest = at;
    }
    if (newest == begun_.end())
      return;
    auto& own = read_[newest->first];
    at_[newest->first] = own.back().offset;
    if (matches(own.back().facts))
      out_.letters.push_back(std::move(own.back().facts));
    own.pop_back();
  }
}

letter_list letter_page::take() {
  if (more())
    out_.next = text_of(at_);
  return std::move(out_);
}

} // namespace depositd::rules
