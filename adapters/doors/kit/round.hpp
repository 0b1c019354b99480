#pragma once

// Small requests of many clients that one look at the sockets has brought:
// they go to the shard together, so that the way through the actors and the
// journal is walked once for all of them.

#include "adapters/doors/kit/gateway.hpp"
#include "messages/actors.hpp"
#include "messages/receiving.hpp"
#include "messages/shard.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace depositd::kit {

/// `Protocol` says how clients are answered: its `answer` is owed to one of
/// them, and `sent`, `acknowledged`, `taken` and `failed` give it.
template <class Protocol>
class round {
public:
  using answer = typename Protocol::answer;

  round(gateway& asked, shard_receiving_actor shard)
    : asked_(asked), shard_(std::move(shard)) {
    // nop
  }

  /// One message for a queue. `queue` is the core's name, here and below.
  /// `held` is what it takes of a budget, see `gateway::ask`.
  void send(std::string queue, new_item item, answer to,
            std::shared_ptr<const void> held = nullptr) {
    const std::lock_guard lock{guard_};
    auto& group = group_for<enqueue>([&](const enqueue& x) {
      return x.queue == queue && x.items.size() < group_items_max;
    });
    group.what.queue = std::move(queue);
    group.what.items.push_back(std::move(item));
    group.answers.push_back(std::move(to));
    if (held)
      group.held.push_back(std::move(held));
  }

  /// Messages that are done.
  void acknowledge(std::string queue, std::vector<settle_items::one> items,
                   answer to) {
    const std::lock_guard lock{guard_};
    auto& group = group_for<settle_items>([&](const settle_items& x) {
      return x.queue == queue
             && x.items.size() + items.size() <= group_items_max;
    });
    group.what.queue = std::move(queue);
    auto& all = group.what.items;
    if (all.empty())
      all = std::move(items);
    else
      all.insert(all.end(), std::make_move_iterator(items.begin()),
                 std::make_move_iterator(items.end()));
    group.answers.push_back(std::move(to));
  }

  /// A poll; what it gets is one of several parts of the answer.
  void take(receive_items what, answer to) {
    const std::lock_guard lock{guard_};
    auto& group = group_for<receive_items>([&](const receive_items& x) {
      return x.queue == what.queue && x.taker == what.taker
             && x.lease_ms == what.lease_ms
             && x.count + what.count <= group_items_max;
    });
    group.limits.push_back(what.count);
    what.count += group.what.count;
    group.what = std::move(what);
    group.answers.push_back(std::move(to));
  }

  /// Sends what has come together; asked after every look at the sockets.
  void flush() {
    decltype(groups_) all;
    {
      const std::lock_guard lock{guard_};
      all.swap(groups_);
    }
    const auto send = [this](auto& groups) {
      for (auto& x : groups)
        go(std::move(x));
    };
    std::apply([&](auto&... each) { (send(each), ...); }, all);
  }

private:
  /// Larger groups would only make their first member wait.
  static constexpr std::size_t group_items_max = 1'000;

  template <class Message>
  struct group {
    Message what;
    std::vector<answer> answers;
    std::vector<std::uint32_t> limits; ///< of polls, one per answer
    std::vector<std::shared_ptr<const void>> held; ///< of what is sent
  };

  template <class Message>
  using groups = std::vector<group<Message>>;

  // The newest group that has room, or a new one. Few queues are in use at one
  // moment.
  template <class Message, class Fits>
  group<Message>& group_for(Fits fits) {
    auto& all = std::get<groups<Message>>(groups_);
    const auto found = std::find_if(all.rbegin(), all.rend(),
                                    [&](auto& x) { return fits(x.what); });
    return found != all.rend() ? *found : all.emplace_back();
  }

  /// Asks the shard; `use` gets an answer of the right type.
  template <class Answer, class Message, class F>
  void ask(Message what, std::vector<answer> answers, F use,
           std::shared_ptr<const void> held = nullptr) {
    asked_.ask(
      shard_, std::move(what),
      [answers = std::move(answers),
       use = std::move(use)](core_answer said) mutable {
        if (const auto* known = said.as<Answer>())
          return use(*known, answers);
        const auto why = said.why();
        for (auto& x : answers)
          Protocol::failed(x, why);
      },
      std::move(held));
  }

  void go(group<enqueue>&& x) {
    std::shared_ptr<const void> held;
    if (!x.held.empty())
      held = std::make_shared<const decltype(x.held)>(std::move(x.held));
    ask<enqueued>(
      std::move(x.what), std::move(x.answers),
      [](const enqueued& said, std::vector<answer>& to) {
        for (std::size_t i = 0; i < to.size(); ++i)
          Protocol::sent(to[i], said.ids[i] != 0, said.over_bytes);
      },
      std::move(held));
  }

  void go(group<settle_items>&& x) {
    ask<items_settled>(std::move(x.what), std::move(x.answers),
                       [](const items_settled&, std::vector<answer>& to) {
                         for (auto& one : to)
                           Protocol::acknowledged(one);
                       });
  }

  void go(group<receive_items>&& x) {
    auto queue = x.what.queue;
    ask<items_received>(
      std::move(x.what), std::move(x.answers),
      [queue = std::move(queue), limits = std::move(x.limits)](
        const items_received& said, std::vector<answer>& to) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < to.size(); ++i) {
          const auto count =
            std::min<std::size_t>(limits[i], said.items.size() - at);
          Protocol::taken(to[i], said.items, at, count, queue);
          at += count;
        }
      });
  }

  gateway& asked_;
  const shard_receiving_actor shard_;

  std::mutex guard_; // of what follows; held for moments
  std::tuple<groups<enqueue>, groups<settle_items>, groups<receive_items>>
    groups_;
};

} // namespace depositd::kit
