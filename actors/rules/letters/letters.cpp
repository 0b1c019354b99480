#include "actors/rules/letters/letters.hpp"

#include <algorithm>
#include <charconv>

namespace depositd::rules {

std::string text_of(const letter_place& x) {
  return std::to_string(x.partition) + '-' + std::to_string(x.offset);
}

std::optional<letter_place> read_place(std::string_view text) {
  letter_place out;
  const auto* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.partition);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-')
    return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, out.offset);
  if (second.ec != std::errc{} || second.ptr != end || out.partition < 0
      || out.offset < 0)
    return std::nullopt;
  return out;
}

std::string text_of(const letter_bounds& x) {
  std::string out;
  for (const auto& [partition, offset] : x)
    out += (out.empty() ? "" : ",") + text_of(letter_place{partition, offset});
  return out;
}

caf::expected<letter_bounds> read_bounds(std::string_view text) {
  letter_bounds out;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto at = read_place(text.substr(0, end));
    if (!at)
      return caf::make_error(ec::invalid_argument,
                             std::string{"after: no page ended there"});
    out[at->partition] = at->offset;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

caf::error no_letter(const std::string& id) {
  return caf::make_error(ec::not_found, "there is no dead letter " + id);
}

caf::expected<letter_span> span_of(const std::vector<std::string>& ids,
                                   const letter_ranges& all) {
  letter_bounds from;
  letter_bounds to;
  for (const auto& id : ids) {
    const auto at = read_place(id);
    if (!at)
      return caf::make_error(ec::invalid_argument,
                             "a dead letter is called PARTITION-OFFSET, not "
                               + id);
    const auto range = all.find(at->partition);
    if (range == all.end() || at->offset < range->second.low
        || at->offset >= range->second.high)
      return no_letter(id);
    const auto first = from.emplace(at->partition, at->offset).first;
    first->second = std::min(first->second, at->offset);
    auto& last = to[at->partition];
    last = std::max(last, at->offset + 1);
  }
  return letter_span{from, to};
}

caf::error check_return(const letter& x, const std::string& topic) {
  const auto refused = [&](const std::string& why) {
    return caf::make_error(ec::not_allowed, "dead letter " + x.facts.id
                                              + " cannot go back: " + why);
  };
  if (!x.lost.empty())
    return refused(x.lost);
  if (x.facts.topic != topic)
    return refused("it is not from " + topic);
  return {};
}

} // namespace depositd::rules
