#pragma once

// How those of the program that have a thread to themselves wait for answers in
// a life: the others take their messages meanwhile.

#include "messages/ports/work_reader.hpp"
#include "messages/values/errors.hpp"
#include "messages/work.hpp"
#include "tests/simulation/simulated.hpp"
#include "tests/support/chance.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

struct awaiting {
  testing::chance* by = nullptr;
  caf::actor outside; ///< who asks
  std::function<bool()> is_calm;
  /// Lets one actor take a message; false: nobody has one.
  std::function<bool()> go_on;

  /// As long as its patience lasts: then it does not know.
  template <class Answer, class Actor, class Request>
  caf::expected<Answer> answer(const Actor& whom, Request what) const;
};

template <class Answer, class Actor, class Request>
caf::expected<Answer> awaiting::answer(const Actor& whom, Request what) const {
  /// More than any answer takes while nobody is held up.
  constexpr std::uint32_t messages_max = 20'000;
  constexpr std::chrono::minutes patience{1};
  using result = std::optional<caf::expected<Answer>>;
  const auto heard = std::make_shared<result>();
  caf::anon_send(outside, act{[=](caf::event_based_actor* self) {
                   self->request(whom, patience, what)
                     .then([=](const Answer& x) { *heard = x; },
                           [=](const caf::error& e) { *heard = e; });
                 }});
  auto left = messages_max;
  if (!is_calm() && by->one_in(8))
    left = by->below(40);
  while (!*heard && left > 0 && go_on())
    --left;
  if (!*heard)
    return caf::make_error(ec::overloaded,
                           std::string{"the shard does not answer"});
  return std::move(**heard);
}

/// The read model, as such a thread asks it.
class awaited_work final : public work_reader {
public:
  awaited_work(awaiting by, read_model_actor reads)
    : by_(std::move(by)), reads_(std::move(reads)) {
    // nop
  }

  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    return rows<batches_found>(x);
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    return rows<jobs_found>(x);
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& x) override {
    return rows<submissions_found>(x);
  }

private:
  template <class Found, class Query>
  caf::expected<decltype(Found::rows)> rows(const Query& x) {
    auto found = by_.answer<Found>(reads_, x);
    if (!found)
      return std::move(found.error());
    return std::move(found->rows);
  }

  const awaiting by_;
  const read_model_actor reads_;
};

} // namespace depositd::simulation
