#include "actors/operators/letter_desk.hpp"

#include "actors/operators/letter_reader.hpp"
#include "messages/records.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace depositd::operators {

namespace {

using clock = std::chrono::steady_clock;

/// How many records a search reads of each partition at a time, and how often.
constexpr std::int64_t searched_at_once = 2'000;
constexpr int searches_max = 10;

/// What the letters of one request may have together.
constexpr std::size_t replayed_bytes_max = 32 << 20;

/// What a reason, a key or the like may take of a list.
constexpr std::size_t listed_bytes_max = 1'024;

/// Places, one for each partition, with commas between them.
std::string text_of(const letter_bounds& all) {
  std::string out;
  for (const auto& [partition, offset] : all)
    out += (out.empty() ? "" : ",") + text_of(letter_place{partition, offset});
  return out;
}

caf::expected<letter_bounds> read_bounds(std::string_view text) {
  letter_bounds out;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto x = read_place(text.substr(0, end));
    if (!x)
      return caf::make_error(ec::invalid_argument,
                             std::string{"after: no page ended there"});
    out[x->partition] = x->offset;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

caf::error no_letter(const std::string& id) {
  return caf::make_error(ec::not_found, "there is no dead letter " + id);
}

// -- pages --------------------------------------------------------------------

/// Anybody may write to the topic: what is long is cut.
letter_facts listed(letter_facts x) {
  for (auto* text :
       {&x.event_id, &x.topic, &x.partition, &x.offset, &x.reason, &x.key})
    if (text->size() > listed_bytes_max)
      text->resize(listed_bytes_max);
  return x;
}

/// The newest ends of partitions, put together by time.
class page {
public:
  page(const find_letters& what, std::map<std::int32_t, partition_range> ranges,
       letter_bounds at)
    : what_(what), ranges_(std::move(ranges)), at_(std::move(at)) {
    for (const auto& [partition, range] : ranges_) {
      const auto known = at_.find(partition);
      at_[partition] = known == at_.end()
                         ? range.high
                         : std::clamp(known->second, range.low, range.high);
    }
    std::erase_if(at_,
                  [&](const auto& x) { return ranges_.count(x.first) == 0; });
  }

  caf::error fill(letter_reader& from) {
    for (int i = 0; i < searches_max && !full() && more(); ++i) {
      if (auto error = read_on(from))
        return error;
      merge();
    }
    return {};
  }

  letters_found take() {
    if (more())
      out_.next = text_of(at_);
    return std::move(out_);
  }

private:
  bool full() const {
    return out_.letters.size() >= what_.count_max;
  }

  bool more() const {
    return std::any_of(at_.begin(), at_.end(), [&](const auto& x) {
      return x.second > ranges_.at(x.first).low;
    });
  }

  bool matches(const letter_facts& x) const {
    return (what_.key.empty() || x.key == what_.key)
           && x.reason.find(what_.text) != std::string::npos;
  }

  caf::error read_on(letter_reader& from);
  void merge();

  const find_letters& what_;
  std::map<std::int32_t, partition_range> ranges_;
  letter_bounds at_;    ///< nothing at or behind it is still to be shown
  letter_bounds begun_; ///< where what was read begins
  std::map<std::int32_t, std::deque<letter_facts>> read_; ///< oldest first
  letters_found out_;
};

caf::error page::read_on(letter_reader& from) {
  const auto step = what_.key.empty() && what_.text.empty()
                      ? std::int64_t{what_.count_max}
                      : searched_at_once;
  letter_bounds to;
  begun_.clear();
  read_.clear();
  for (const auto& [partition, bound] : at_) {
    const auto low = ranges_.at(partition).low;
    if (bound <= low)
      continue;
    begun_[partition] = std::max(low, bound - step);
    to[partition] = bound;
  }
  return from.read(begun_, to, [&](const source_record& x) {
    read_[x.partition].push_back(listed(facts_of(x)));
  });
}

/// Until the page is full, or nothing is left of a partition that has more: its
/// next may be newer than what others have.
void page::merge() {
  while (!full()) {
    std::deque<letter_facts>* newest = nullptr;
    std::int32_t of = 0;
    for (const auto& [partition, begin] : begun_) {
      auto& records = read_[partition];
      if (records.empty()) {
        at_[partition] = begin;
        if (begin > ranges_.at(partition).low)
          return;
        continue;
      }
      if (newest == nullptr
          || records.back().written_us > newest->back().written_us) {
        newest = &records;
        of = partition;
      }
    }
    if (newest == nullptr)
      return;
    at_[of] = read_place(newest->back().id)->offset;
    if (matches(newest->back()))
      out_.letters.push_back(std::move(newest->back()));
    newest->pop_back();
  }
}

// -- the desk -----------------------------------------------------------------

caf::expected<letters_found> find(const letter_desk_options& options,
                                  const find_letters& what) {
  auto after = read_bounds(what.after);
  if (!after)
    return std::move(after.error());
  auto source = options.open_letters();
  if (!source)
    return std::move(source.error());
  letter_reader from{**source, clock::now() + options.patience};
  auto ranges = from.ranges();
  if (!ranges)
    return std::move(ranges.error());
  page out{what, std::move(*ranges), std::move(*after)};
  if (auto error = out.fill(from))
    return error;
  return out.take();
}

/// Where the letters of these ids are; for each partition from the first to
/// behind the last.
caf::expected<std::pair<letter_bounds, letter_bounds>>
span_of(const std::vector<std::string>& ids,
        const std::map<std::int32_t, partition_range>& ranges) {
  letter_bounds from;
  letter_bounds to;
  for (const auto& id : ids) {
    const auto at = read_place(id);
    if (!at)
      return caf::make_error(ec::invalid_argument,
                             "a dead letter is called PARTITION-OFFSET, not "
                               + id);
    const auto range = ranges.find(at->partition);
    if (range == ranges.end() || at->offset < range->second.low
        || at->offset >= range->second.high)
      return no_letter(id);
    const auto first = from.emplace(at->partition, at->offset).first;
    first->second = std::min(first->second, at->offset);
    auto& last = to[at->partition];
    last = std::max(last, at->offset + 1);
  }
  return std::pair{from, to};
}

/// The letters of these ids. Reads what is between them too.
caf::expected<std::map<std::string, source_record>>
read_all(const letter_desk_options& options,
         const std::vector<std::string>& ids) {
  auto source = options.open_letters();
  if (!source)
    return std::move(source.error());
  letter_reader from{**source, clock::now() + options.patience};
  const auto ranges = from.ranges();
  if (!ranges)
    return ranges.error();
  const auto span = span_of(ids, *ranges);
  if (!span)
    return span.error();
  std::map<std::string, source_record> out;
  for (const auto& id : ids)
    out[text_of(*read_place(id))].offset = -1;
  std::size_t bytes = 0;
  if (
    auto error =
      from.read(span->first, span->second, [&](const source_record& x) {
        const auto at = out.find(text_of(letter_place{x.partition, x.offset}));
        if (at == out.end())
          return;
        bytes += bytes_of(x);
        if (bytes <= replayed_bytes_max)
          at->second = x;
      }))
    return error;
  if (bytes > replayed_bytes_max)
    return caf::make_error(ec::too_large,
                           std::string{"these are too many bytes to send back "
                                       "at once: name fewer"});
  for (const auto& [id, x] : out)
    if (x.offset < 0)
      return no_letter(id);
  return out;
}

/// The record as it was.
caf::expected<outgoing_record> record_in(const letter_desk_options& options,
                                         const source_record& x) {
  const auto facts = facts_of(x);
  const auto refused = [&](const std::string& why) {
    return caf::make_error(ec::not_allowed, "dead letter " + facts.id
                                              + " cannot go back: " + why);
  };
  if (facts.value_omitted)
    return refused("its value was left out");
  if (facts.topic != options.ingress_topic)
    return refused("it is not from " + options.ingress_topic);
  if (facts.reason == other_version_reason)
    return refused(facts.reason);
  return outgoing_record{.topic = facts.topic,
                         .key = x.key,
                         .value = x.value,
                         .has_value = x.has_value,
                         .headers = own_headers(x)};
}

caf::expected<letters_replayed> replay(const letter_desk_options& options,
                                       const replay_letters& what) {
  const auto letters = read_all(options, what.ids);
  if (!letters)
    return letters.error();
  std::vector<outgoing_record> batch;
  for (const auto& id : what.ids) {
    auto x = record_in(options, letters->at(text_of(*read_place(id))));
    if (!x)
      return std::move(x.error());
    batch.push_back(std::move(*x));
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
  return {
    [=](const find_letters& x) { return answer(find(*with, x)); },
    [=](const read_letter& x) -> caf::result<letter_read> {
      auto found = read_all(*with, {x.id});
      if (!found)
        return std::move(found.error());
      const auto& record = found->begin()->second;
      return letter_read{facts_of(record), own_headers(record), record.value};
    },
    [=](const replay_letters& x) { return answer(replay(*with, x)); }};
}

} // namespace depositd::operators
