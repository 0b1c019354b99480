#include "actors/rules/sources/strategy.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules {

namespace {

using what = strategy_tree::what;

constexpr auto no_source = static_cast<std::size_t>(-1);
constexpr std::int64_t one_token = 1'000'000;

std::int64_t depth_of(std::int64_t rate) {
  return std::max(one_token, rate * one_token / 10);
}

/// Millionths of a record that a limit has now.
std::int64_t tokens_at(std::int64_t rate, std::int64_t tokens, micros filled_us,
                       micros now_us) {
  if (filled_us == never)
    return depth_of(rate);
  // A second and more fills any bucket.
  const auto elapsed = std::clamp<micros>(now_us - filled_us, 0, 1'000'000);
  return std::min(depth_of(rate), tokens + rate * elapsed);
}

} // namespace

strategy::strategy(const strategy_tree& tree, std::vector<std::string> sources)
  : sources_(std::move(sources)) {
  compile(tree);
  resolve();
}

std::size_t strategy::compile(const strategy_tree& x) {
  const auto at = nodes_.size();
  nodes_.emplace_back();
  node fresh;
  fresh.is = x.is;
  fresh.text = to_string(x);
  for (const auto& part : x.parts)
    fresh.parts.push_back(compile(part));
  if (x.is == what::weighted) {
    fresh.weights.assign(x.numbers.begin(), x.numbers.end());
    fresh.behind.assign(x.numbers.size(), 0);
  } else if (x.is == what::limit) {
    fresh.rate = x.numbers[0];
  }
  nodes_[at] = std::move(fresh);
  return at;
}

/// Finds the places of the sources, and whose `others` those are.
void strategy::resolve() {
  std::vector<bool> named(sources_.size(), false);
  for (auto& x : nodes_) {
    if (x.is != what::source)
      continue;
    const auto at = std::find(sources_.begin(), sources_.end(), x.text);
    x.source = at == sources_.end()
                 ? no_source
                 : static_cast<std::size_t>(at - sources_.begin());
    if (x.source != no_source)
      named[x.source] = true;
  }
  for (auto& x : nodes_)
    if (x.is == what::others)
      for (std::size_t i = 0; i < sources_.size(); ++i)
        if (!named[i])
          x.parts.push_back(i);
}

void strategy::set_sources(std::vector<std::string> sources) {
  const auto before = std::exchange(sources_, std::move(sources));
  std::string turn;
  for (auto& x : nodes_)
    if (x.is == what::others) {
      if (x.turn < x.parts.size())
        turn = before[x.parts[x.turn]];
      x.parts.clear();
      x.turn = 0;
    }
  resolve();
  for (auto& x : nodes_)
    if (x.is == what::others)
      for (std::size_t i = 0; i < x.parts.size(); ++i)
        if (sources_[x.parts[i]] == turn)
          x.turn = i;
}

// -- who has any --------------------------------------------------------------

bool strategy::has(std::size_t at, counts ready, micros now_us) const {
  const auto& x = nodes_[at];
  if (x.is == what::source)
    return x.source < ready.size() && ready[x.source] > 0;
  if (x.is == what::limit
      && tokens_at(x.rate, x.tokens, x.filled_us, now_us) < one_token)
    return false;
  for (std::size_t i = 0; i < x.parts.size(); ++i)
    if (part_has(x, i, ready, now_us))
      return true;
  return false;
}

bool strategy::part_has(const node& x, std::size_t part, counts ready,
                        micros now_us) const {
  const auto at = x.parts[part];
  if (x.is == what::others)
    return at < ready.size() && ready[at] > 0;
  return has(at, ready, now_us);
}

bool strategy::would_have(std::size_t at, counts ready) const {
  const auto& x = nodes_[at];
  if (x.is == what::source)
    return x.source < ready.size() && ready[x.source] > 0;
  return std::any_of(x.parts.begin(), x.parts.end(), [&](std::size_t part) {
    return x.is == what::others ? part < ready.size() && ready[part] > 0
                                : would_have(part, ready);
  });
}

// -- picking ------------------------------------------------------------------

/// Which part is next; one of them has any.
std::size_t strategy::choose(const node& x, counts ready, micros now_us) const {
  const auto count = x.parts.size();
  if (x.is == what::weighted) {
    auto out = count;
    for (std::size_t i = 0; i < count; ++i)
      if (part_has(x, i, ready, now_us)
          && (out == count
              || x.behind[i] + x.weights[i] > x.behind[out] + x.weights[out]))
        out = i;
    return out;
  }
  const bool in_turn = x.is == what::fair || x.is == what::others;
  auto i = in_turn && x.turn < count ? x.turn : 0;
  while (!part_has(x, i, ready, now_us))
    i = i + 1 == count ? 0 : i + 1;
  return i;
}

/// Smooth weighted round robin over those that have any. The sum over all stays
/// 0, so nobody can be owed more and more. Who has nothing works off what it
/// got too much, and what it is owed goes to the others.
void strategy::settle_weights(node& x, std::size_t chosen, counts ready,
                              micros now_us) {
  std::int64_t total = 0;
  std::int64_t given_up = 0;
  std::int64_t active = 0;
  std::vector<bool> has_any(x.parts.size());
  for (std::size_t i = 0; i < x.parts.size(); ++i) {
    has_any[i] = part_has(x, i, ready, now_us);
    if (!has_any[i] && x.behind[i] > 0)
      given_up += std::exchange(x.behind[i], 0);
    const auto share =
      has_any[i] ? x.weights[i] : std::min(x.weights[i], -x.behind[i]);
    x.behind[i] += share;
    total += share;
    active += has_any[i];
  }
  for (std::size_t i = 0; i < x.parts.size(); ++i)
    if (has_any[i])
      x.behind[i] += given_up / active;
  x.behind[chosen] += given_up % active - total;
}

std::size_t strategy::take(std::size_t at, counts ready, micros now_us) {
  auto& x = nodes_[at];
  if (x.is == what::source)
    return x.source;
  const auto part = choose(x, ready, now_us);
  if (x.is == what::weighted) {
    settle_weights(x, part, ready, now_us);
  } else if (x.is == what::limit) {
    x.tokens = tokens_at(x.rate, x.tokens, x.filled_us, now_us) - one_token;
    x.filled_us = std::max({x.filled_us, now_us, micros{1}});
  } else {
    x.turn = part + 1 == x.parts.size() ? 0 : part + 1;
  }
  return x.is == what::others ? x.parts[part]
                              : take(x.parts[part], ready, now_us);
}

std::optional<std::size_t> strategy::pick(counts ready, micros now_us) {
  if (!has(0, ready, now_us))
    return std::nullopt;
  return take(0, ready, now_us);
}

micros strategy::next_us(counts ready, micros now_us) const {
  if (!would_have(0, ready) || has(0, ready, now_us))
    return never;
  micros out = never;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto& x = nodes_[i];
    if (x.is != what::limit || !would_have(i, ready))
      continue;
    const auto missing =
      one_token - tokens_at(x.rate, x.tokens, x.filled_us, now_us);
    if (missing <= 0)
      continue;
    const auto at = now_us + (missing + x.rate - 1) / x.rate;
    out = out == never ? at : std::min(out, at);
  }
  return out;
}

// -- explaining ---------------------------------------------------------------

const std::string& strategy::part_text(const node& x, std::size_t part) const {
  return x.is == what::others ? sources_[x.parts[part]]
                              : nodes_[x.parts[part]].text;
}

void strategy::say_why(std::size_t at, counts ready, micros now_us,
                       std::string& out) const {
  const auto& x = nodes_[at];
  if (x.is == what::source) {
    out += x.text + " has " + std::to_string(ready[x.source]) + " buffered";
    return;
  }
  const auto part = choose(x, ready, now_us);
  const auto& text = part_text(x, part);
  const auto passed = [&](std::size_t from) {
    std::string names;
    for (auto i = from; i != part; i = i + 1 == x.parts.size() ? 0 : i + 1)
      names += (names.empty() ? "" : " and ") + part_text(x, i);
    return names;
  };
  if (x.is == what::weighted) {
    out += text + " is furthest behind its share in " + x.text;
  } else if (x.is == what::limit) {
    out += "limit(" + std::to_string(x.rate) + "/s) lets one through";
  } else if (x.is == what::priority || x.is == what::prefer) {
    const auto before = passed(0);
    out += before.empty() ? text + " comes first in " + x.text
                          : before + " can give nothing, so " + text
                              + " is next in " + x.text;
  } else {
    const auto before = passed(x.turn < x.parts.size() ? x.turn : 0);
    out += "it is the turn of " + text + " in " + x.text;
    if (!before.empty())
      out += ", as " + before + " can give nothing";
  }
  out += "; ";
  if (x.is == what::others)
    out += text + " has " + std::to_string(ready[x.parts[part]]) + " buffered";
  else
    say_why(x.parts[part], ready, now_us, out);
}

strategy_explanation strategy::explain(counts ready, micros now_us,
                                       std::size_t count) const {
  strategy_explanation out;
  auto trial = *this;
  std::vector<std::uint64_t> left(ready.begin(), ready.end());
  const auto wait = [&] {
    // Limits inside limits let go one after the other.
    while (!trial.has(0, left, now_us)) {
      const auto next = trial.next_us(left, now_us);
      if (next == never)
        return false;
      now_us = next;
    }
    return true;
  };
  const auto asked_us = now_us;
  if (!wait()) {
    out.why = "No source that the strategy names has anything buffered.";
    return out;
  }
  if (now_us > asked_us)
    out.why = "In " + std::to_string((now_us - asked_us + 999) / 1000)
              + " ms, when a limit lets it: ";
  trial.say_why(0, left, now_us, out.why);
  out.why += '.';
  while (out.picks.size() < std::max<std::size_t>(count, 1) && wait()) {
    const auto source = *trial.pick(left, now_us);
    --left[source];
    out.picks.push_back(source);
  }
  out.next = out.picks.front();
  out.picks.resize(std::min(out.picks.size(), count));
  return out;
}

} // namespace depositd::rules
