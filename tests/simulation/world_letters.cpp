// Dead letters are sent back by the program's desk, as they came, though
// nothing has become of them: each is read once more, and answered.

#include "actors/operators/letter_desk.hpp"
#include "messages/letters.hpp"
#include "tests/simulation/topics_of_lives.hpp"
#include "tests/simulation/world.hpp"

#include <caf/send.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

/// As long as no broker is away nobody waits.
constexpr std::chrono::hours letters_patience{1};

/// Tells what came into the ingress topic, whatever is said of it.
class telling_sink final : public record_sink {
public:
  using tell = std::function<void(const source_record&)>;

  telling_sink(std::shared_ptr<memory_record_log> log, tell use)
    : log_(std::move(log)), use_(std::move(use)), to_(open_memory_sink(log_)) {
    // nop
  }

  caf::error publish(const std::vector<outgoing_record>& batch,
                     std::chrono::milliseconds patience) override {
    std::map<std::int32_t, std::int64_t> known;
    for (const auto& x : memory_records(*log_, "in"))
      known[x.partition] = x.offset;
    auto out = to_->publish(batch, patience);
    for (const auto& x : memory_records(*log_, "in"))
      if (!known.contains(x.partition) || x.offset > known[x.partition])
        use_(x);
    return out;
  }

  std::string trouble() const override {
    return to_->trouble();
  }

private:
  const std::shared_ptr<memory_record_log> log_;
  const tell use_;
  const std::unique_ptr<record_sink> to_;
};

letter letter_of_words(source_record x) {
  letter out;
  out.facts.topic = "in";
  out.facts.partition = x.key;
  out.facts.offset = x.value;
  out.facts.key = "key";
  for (auto& one : x.headers)
    if (one.name == value_header_of_lives)
      out.value = std::move(one.value);
  return out;
}

} // namespace

void world::open_letters() {
  if (!knobs_.letters)
    return;
  const auto returned = [this](const source_record& x) {
    produced fact;
    fact.partition = "in/" + std::to_string(x.partition);
    fact.offset = x.offset;
    fact.poison = true;
    fact.returned = true;
    fact.shard = shard_of_words(x, fact.partition, knobs_.shards);
    tell(std::move(fact));
  };
  operators::letter_desk_options options;
  options.open_letters = [log = topics_] {
    return caf::expected<std::unique_ptr<record_source>>{
      open_memory_source(log, "dead")};
  };
  options.open_sink = [log = topics_, returned] {
    return caf::expected<std::unique_ptr<record_sink>>{
      std::make_unique<telling_sink>(log, returned)};
  };
  options.read = letter_of_words;
  options.ingress_topic = "in";
  options.patience = letters_patience;
  letters_ = system_.spawn(operators::letter_desk, std::move(options));
}

/// Some of those that there are.
void world::send_letters_back() {
  const auto count = memory_records(*topics_, "dead").size();
  if (count == 0)
    return produce();
  replay_letters what;
  const auto all = static_cast<std::uint32_t>(count);
  for (auto left = 1 + letter_chance_.below(3); left > 0; --left)
    what.ids.push_back(
      std::string{"0-"}.append(std::to_string(letter_chance_.below(all))));
  const letters_wanted wish{++letters_wanted_, what.ids.size()};
  tell(wish);
  caf::anon_send(outside_, act{[=, this](caf::event_based_actor* self) {
                   self->request(letters_, std::chrono::minutes{10}, what)
                     .then(
                       [=, this](const letters_replayed&) {
                         tell(letters_returned{wish.number});
                       },
                       [](const caf::error&) {
                         // No broker, or nobody knows what became of it.
                       });
                 }});
}

} // namespace depositd::simulation
