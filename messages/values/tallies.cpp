#include "messages/values/tallies.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace depositd {

namespace {

using both_labels = std::pair<std::string, std::string>;

/// A kind of what is counted.
struct drawer {
  std::mutex mutex;
  std::map<both_labels, double> values;
};

drawer& drawer_of(tally_of what) {
  static std::array<drawer, static_cast<std::size_t>(tally_of::kinds)> all;
  return all[static_cast<std::size_t>(what)];
}

double& slot(drawer& in, std::string_view first, std::string_view second) {
  both_labels key{first, second};
  const auto at = in.values.find(key);
  if (at != in.values.end())
    return at->second;
  if (in.values.size() >= tallies_max)
    key = {"(others)", "(others)"};
  return in.values[std::move(key)];
}

struct size_counters {
  std::array<std::atomic<std::uint64_t>, group_bounds.size() + 1> in{};
  std::atomic<std::uint64_t> events{0};
};

size_counters& sizes() {
  static size_counters out;
  return out;
}

} // namespace

void tally(tally_of what, std::string_view first, std::string_view second,
           std::uint64_t count) {
  auto& in = drawer_of(what);
  const std::lock_guard guard{in.mutex};
  slot(in, first, second) += static_cast<double>(count);
}

void note_value(tally_of what, std::string_view first, std::string_view second,
                double value) {
  auto& in = drawer_of(what);
  const std::lock_guard guard{in.mutex};
  slot(in, first, second) = value;
}

void forget_value(tally_of what, std::string_view first) {
  auto& in = drawer_of(what);
  const std::lock_guard guard{in.mutex};
  std::erase_if(in.values,
                [&](const auto& x) { return x.first.first == first; });
}

void count_group_size(std::uint32_t events) {
  const auto* const at =
    std::lower_bound(group_bounds.begin(), group_bounds.end(), events);
  auto& to = sizes();
  const auto bucket = static_cast<std::size_t>(at - group_bounds.begin());
  to.in[bucket].fetch_add(1, std::memory_order_relaxed);
  to.events.fetch_add(events, std::memory_order_relaxed);
}

group_sizes group_sizes_now() {
  const auto& from = sizes();
  group_sizes out;
  for (std::size_t i = 0; i < out.in.size(); ++i)
    out.in[i] = from.in[i].load(std::memory_order_relaxed);
  out.events = from.events.load(std::memory_order_relaxed);
  return out;
}

std::vector<tallied> tallies(tally_of what) {
  auto& in = drawer_of(what);
  const std::lock_guard guard{in.mutex};
  std::vector<tallied> out;
  for (const auto& [labels, value] : in.values)
    out.push_back({labels.first, labels.second, value});
  return out;
}

} // namespace depositd
