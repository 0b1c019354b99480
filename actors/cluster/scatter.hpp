#pragma once

// One reader of the table of routes: sends a request where its row says, joins
// what comes back.

#include "actors/cluster/ask_shard.hpp"
#include "actors/rules/routing/table.hpp"

#include <memory>
#include <utility>

namespace depositd::cluster {

/// What may be done with a request whose row says this. A test may want it done
/// wrong.
repeats permitted(repeats by_row);

template <class Request>
repeats repeats_of() {
  return permitted(rules::routing::row<Request>.may);
}

/// Asks each shard for its part; `then` gets what the answers make together.
template <class Answer, class Self, class Request>
void ask_parts(Self* self, Request rest,
               std::vector<rules::routing::part<Request>> parts,
               std::function<void(caf::expected<Answer>)> then) {
  using rules::routing::asked;
  const journal::gathering<Answer> all{std::move(then)};
  const auto of = std::make_shared<const Request>(std::move(rest));
  for (auto& x : parts)
    ask_shard<Answer>(
      self, x.shard, std::move(x.what), repeats_of<Request>(),
      all.template expect<Answer>(
        [of, at = std::move(x.at)](Answer& sum, Answer& one) {
          rules::routing::row<Request>.join(sum, one, asked<Request>{*of, at});
        }));
  all.close();
}

/// The same for a request that was not split yet.
template <class Answer, class Self, class Request>
void scatter(Self* self, Request x, const rules::routing::shard_map& map,
             std::function<void(caf::expected<Answer>)> then) {
  auto to = rules::routing::row<Request>.to(x, map);
  if (to.whole)
    ask_shard<Answer>(self, *to.whole, std::move(x), repeats_of<Request>(),
                      std::move(then));
  else
    ask_parts<Answer>(self, std::move(x), std::move(to.parts), std::move(then));
}

/// Answers the request that is being handled, or lets the one shard do so that
/// has all of it.
template <class Answer, class Self, class Request>
caf::result<Answer> by_table(Self* self, Request& x,
                             const rules::routing::shard_map& map) {
  auto to = rules::routing::row<Request>.to(x, map);
  if (to.whole)
    return forward<Answer>(self, *to.whole, x, repeats_of<Request>());
  return journal::answer_later<Answer>(self, [&](auto then) {
    ask_parts<Answer>(self, std::move(x), std::move(to.parts), then);
  });
}

} // namespace depositd::cluster
