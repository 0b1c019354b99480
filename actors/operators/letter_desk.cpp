#include "actors/operators/letter_desk.hpp"

#include "actors/operators/letter_reader.hpp"
#include "actors/rules/letters/page.hpp"
#include "messages/values/test_points.hpp"

#include <map>
#include <utility>

namespace depositd::operators {

namespace {

using clock = std::chrono::steady_clock;
using rules::letter_place;

/// What the letters of one request may have together.
constexpr std::size_t replayed_bytes_max = 32 << 20;

letter letter_in(const letter_desk_options& options, source_record& x) {
  const letter_place at{x.partition, x.offset};
  auto out = options.read(std::move(x));
  out.facts.id = text_of(at);
  return out;
}

/// Goes on with the topic, as long as it may take.
template <class T, class F>
caf::expected<T> with_topic(const letter_desk_options& options, F use) {
  auto source = options.open_letters();
  if (!source)
    return std::move(source.error());
  letter_reader from{**source, clock::now() + options.patience};
  auto ranges = from.ranges();
  if (!ranges)
    return std::move(ranges.error());
  return use(from, *ranges);
}

caf::expected<letters_found> find(const letter_desk_options& options,
                                  const find_letters& what) {
  const auto after = rules::read_bounds(what.what.after);
  if (!after)
    return after.error();
  const auto fill =
    [&](letter_reader& from,
        const rules::letter_ranges& all) -> caf::expected<letters_found> {
    rules::letter_page out{what.what, all, *after};
    while (const auto part = out.wants()) {
      if (auto error = from.read(*part, [&](source_record& x) {
            const letter_place at{x.partition, x.offset};
            out.add(at, letter_in(options, x).facts);
          }))
        return error;
      out.merge();
    }
    return letters_found{out.take()};
  };
  return with_topic<letters_found>(options, fill);
}

using letters_by_id = std::map<std::string, letter>;

/// The letters of these ids.
caf::expected<letters_by_id> read_all(const letter_desk_options& options,
                                      const std::vector<std::string>& ids) {
  const auto look =
    [&](letter_reader& from,
        const rules::letter_ranges& all) -> caf::expected<letters_by_id> {
    const auto span = rules::span_of(ids, all);
    if (!span)
      return span.error();
    letters_by_id out;
    for (const auto& id : ids)
      out[id]; // without an id of its own until it was read
    std::size_t bytes = 0;
    const auto keep = [&](source_record& x) {
      const auto at = out.find(text_of(letter_place{x.partition, x.offset}));
      if (at == out.end())
        return;
      bytes += bytes_of(x);
      if (bytes <= replayed_bytes_max)
        at->second = letter_in(options, x);
    };
    if (auto error = from.read(*span, keep))
      return error;
    if (bytes > replayed_bytes_max)
      return caf::make_error(ec::too_large,
                             std::string{"these are too many bytes to send "
                                         "back at once: name fewer"});
    for (const auto& [id, x] : out)
      if (x.facts.id.empty())
        return rules::no_letter(id);
    return out;
  };
  return with_topic<letters_by_id>(options, look);
}

caf::expected<letters_replayed> replay(const letter_desk_options& options,
                                       const replay_letters& what) {
  const auto letters = read_all(options, what.ids);
  if (!letters)
    return letters.error();
  std::vector<outgoing_record> batch;
  for (const auto& id : what.ids) {
    const auto& x = letters->at(id);
    if (auto error = rules::check_return(x, options.ingress_topic))
      return error;
    if (seeded_bug("letters_not_sent_back") && !batch.empty())
      continue;
    batch.push_back({.topic = options.ingress_topic,
                     .key = x.facts.key,
                     .value = x.value,
                     .headers = x.headers});
  }
  auto sink = options.open_sink();
  if (!sink)
    return std::move(sink.error());
  if (auto error = (*sink)->publish(batch, options.patience))
    return error;
  return letters_replayed{options.ingress_topic};
}

/// What a handler answers.
template <class T>
caf::result<T> answer(caf::expected<T> x) {
  if (!x)
    return std::move(x.error());
  return std::move(*x);
}

} // namespace

letter_desk_actor::behavior_type letter_desk(letter_desk_actor::pointer,
                                             letter_desk_options options) {
  const auto with =
    std::make_shared<const letter_desk_options>(std::move(options));
  return {[=](const find_letters& x) { return answer(find(*with, x)); },
          [=](const read_letter& x) -> caf::result<letter_read> {
            auto found = read_all(*with, {x.id});
            if (!found)
              return std::move(found.error());
            return letter_read{std::move(found->begin()->second)};
          },
          [=](const replay_letters& x) { return answer(replay(*with, x)); }};
}

} // namespace depositd::operators
