#pragma once

// One reader of the table of routes: sends a request where its row says, joins
// what comes back.

#include "actors/cluster/ask_shard.hpp"
#include "actors/rules/routing/table.hpp"

#include <caf/response_promise.hpp>
#include <caf/type_erased_tuple.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace depositd::cluster {

/// What may be done with a request of which this is said. A test may want it
/// done wrong.
repeats permitted(repeats by_rule);

template <class Request>
repeats repeats_of(const Request& x) {
  return permitted(rules::routing::may_repeat(x));
}

/// Answers of several shards on their way to one. The first error wins. Keeps
/// the promise when all have come and nobody else is asked.
class joining {
public:
  joining(std::size_t parts, caf::response_promise promise);
  joining(const joining&) = delete;
  joining& operator=(const joining&) = delete;
  virtual ~joining() = default;

  void take(std::size_t part, caf::type_erased_tuple& answer);
  void fail(const caf::error& why);

  /// Nobody else is asked.
  void close() {
    arrived();
  }

private:
  /// False: it is no such answer.
  virtual bool join(std::size_t part, caf::type_erased_tuple& answer) = 0;
  virtual caf::message joined() = 0;

  void arrived();

  std::size_t open_; ///< one for whoever still asks
  caf::error failure_;
  caf::response_promise promise_;
};

/// Whoever waits for the answer of one shard.
asker_ptr asker_for(std::shared_ptr<joining> all, std::size_t part);

/// As the row of the request says.
template <class Answer, class Request>
class joining_by_row final : public joining {
public:
  joining_by_row(Request rest, std::vector<rules::routing::places> at,
                 caf::response_promise promise)
    : joining(at.size(), std::move(promise)), rest_(std::move(rest)),
      at_(std::move(at)) {}

private:
  bool join(std::size_t part, caf::type_erased_tuple& x) override {
    if (!x.match_elements<Answer>())
      return false;
    auto one = x.move_if_unshared<Answer>(0);
    rules::routing::row<Request>.join(
      sum_, one, rules::routing::asked<Request>{rest_, at_[part]});
    return true;
  }

  caf::message joined() override {
    return caf::make_message(std::move(sum_));
  }

  const Request rest_; ///< but for items that were split off
  const std::vector<rules::routing::places> at_;
  Answer sum_{};
};

/// Keeps the promise with what comes of a request that several shards have a
/// part of.
template <class Answer, class Self, class Request>
void ask_parts(Self* self, Request rest,
               std::vector<rules::routing::part<Request>> parts,
               caf::response_promise promise) {
  const auto may = repeats_of(rest);
  std::vector<rules::routing::places> at;
  for (auto& x : parts)
    at.push_back(std::move(x.at));
  const auto all = std::make_shared<joining_by_row<Answer, Request>>(
    std::move(rest), std::move(at), std::move(promise));
  std::size_t part = 0;
  for (auto& x : parts) {
    auto one = question_for<Answer>(self, x.shard, std::move(x.what), may);
    one.asking = asker_for(all, part++);
    self->state.to.ask(std::move(one));
  }
  all->close();
}

/// Keeps the promise with what a request comes to, or lets the one shard do so
/// that has all of it.
template <class Answer, class Self, class Request>
void scatter(Self* self, Request x, const rules::routing::shard_map& map,
             caf::response_promise promise) {
  const auto may = repeats_of(x);
  const auto forward_to = [&](shard_number shard) {
    self->state.to.forward(
      question_for<Answer>(self, shard, std::move(x), may),
      std::move(promise));
  };
  auto to = rules::routing::row<Request>.to(x, map);
  if constexpr (std::is_same_v<decltype(to), shard_number>)
    forward_to(to);
  else if (to.whole)
    forward_to(*to.whole);
  else
    ask_parts<Answer>(self, std::move(x), std::move(to.parts),
                      std::move(promise));
}

/// Answers the request that is being handled.
template <class Answer, class Self, class Request>
caf::delegated<Answer> by_table(Self* self, Request& x,
                                const rules::routing::shard_map& map) {
  scatter<Answer>(self, std::move(x), map, self->make_response_promise());
  return {};
}

} // namespace depositd::cluster
