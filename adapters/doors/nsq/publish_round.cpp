#include "adapters/doors/nsq/publish_round.hpp"

#include "adapters/doors/nsq/connection.hpp"
#include "adapters/doors/nsq/parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace depositd::nsq {

namespace {

/// Larger groups would only make their first member wait.
constexpr std::size_t group_messages_max = 1'000;
constexpr std::size_t group_bytes_max = 4 << 20;
/// Groups that are looked at for room, the newest: few topics are in use at one
/// moment.
constexpr std::ptrdiff_t groups_searched = 32;

/// Tells those of one message how it went, in any thread, once.
class told {
public:
  told(io_thread& where, std::vector<publish_answer> answers)
    : where_(&where), answers_(std::move(answers)) {
    // nop
  }

  told(told&&) = default;

  ~told() {
    if (!answers_.empty())
      tell(caf::make_error(ec::overloaded,
                           std::string{"the engine did not answer in time"}));
  }

  void tell(caf::error why) {
    where_->post([answers = std::exchange(answers_, {}), why = std::move(why)] {
      for (const auto& x : answers)
        if (const auto to = x.to.lock())
          to->published(x, why);
    });
  }

private:
  io_thread* where_;
  std::vector<publish_answer> answers_;
};

} // namespace

std::uint64_t text_bytes_of(const std::vector<std::string>& bodies) {
  std::uint64_t out = 0;
  for (const auto& x : bodies)
    out += x.size();
  return out;
}

publish_round::group& publish_round::group_for(const publish& what,
                                               std::size_t bytes) {
  const auto searched =
    std::min(static_cast<std::ptrdiff_t>(groups_.size()), groups_searched);
  const auto last = groups_.rbegin() + searched;
  const auto found = std::find_if(groups_.rbegin(), last, [&](const auto& x) {
    return x.what.topic == what.topic && x.what.user == what.user
           && x.what.delay_ms == what.delay_ms
           && x.bytes + bytes <= group_bytes_max
           && x.what.bodies.size() + what.bodies.size() <= group_messages_max;
  });
  return found != last ? *found : groups_.emplace_back();
}

void publish_round::add_part(publish what, publish_answer to) {
  const auto bytes = text_bytes_of(what.bodies);
  auto& at = group_for(what, bytes);
  at.bytes += bytes;
  if (const auto& memory = where_.core.options.memory) {
    if (!at.charge)
      at.charge = std::make_shared<publish_charge>(memory);
    at.charge->adopt(cost_of(bytes, what.bodies.size()));
  }
  at.answers.push_back(std::move(to));
  if (at.what.bodies.empty())
    at.what = std::move(what);
  else
    at.what.bodies.insert(at.what.bodies.end(),
                          std::make_move_iterator(what.bodies.begin()),
                          std::make_move_iterator(what.bodies.end()));
}

void publish_round::add(publish what, publish_answer to) {
  const auto count = what.bodies.size();
  const auto parts = (count + publish_messages_max - 1) / publish_messages_max;
  to.open = std::make_shared<std::uint32_t>(static_cast<std::uint32_t>(parts));
  if (parts <= 1)
    return add_part(std::move(what), std::move(to));
  auto first = std::make_move_iterator(what.bodies.begin());
  for (std::size_t at = 0; at < count; at += publish_messages_max) {
    const auto size =
      static_cast<std::ptrdiff_t>(std::min(publish_messages_max, count - at));
    add_part({what.topic, what.user, what.delay_ms, {first, first + size}}, to);
    first += size;
  }
}

void publish_round::flush() {
  for (auto& x : std::exchange(groups_, {})) {
    x.what.charge = std::move(x.charge);
    where_.core.asked.ask(
      where_.core.options.shard, std::move(x.what),
      [to = told{where_, std::move(x.answers)},
       health = where_.core.options.health](kit::core_answer said) mutable {
        const auto why =
          said.as<published>() != nullptr ? caf::error{} : said.why();
        if (health)
          health->learn(why, std::chrono::steady_clock::now());
        to.tell(why);
      });
  }
}

} // namespace depositd::nsq
