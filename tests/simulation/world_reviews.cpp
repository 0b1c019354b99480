// Administrators are told of jobs that need them, by the program's teller; who
// takes its calls is away now and then.

#include "actors/operators/review_teller.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/world.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace depositd::simulation {

namespace {

/// Longer than an engine is away, or it would not know what one before it kept.
constexpr auto reviews_every = 60s;
constexpr auto looks_every = 5s;

class simulated_webhook final : public callback_sender {
public:
  struct surroundings {
    std::uint32_t teller = 0;
    chance* by = nullptr;
    std::function<bool()> is_calm;
    std::function<void(review_told)> tell;
  };

  explicit simulated_webhook(surroundings around) : around_(std::move(around)) {
    // nop
  }

  caf::error send(const callback& x) override {
    if (!around_.is_calm() && around_.by->one_in(3))
      return is_away();
    const auto said = nlohmann::json::parse(x.body);
    review_told out;
    out.teller = around_.teller;
    out.pipeline = said["pipeline"];
    out.stage = said["stage"];
    out.reason = said["reason"];
    out.count = said["count"];
    out.jobs = said["jobs"].get<std::vector<item_id>>();
    out.heard = around_.is_calm() || !around_.by->one_in(6);
    const auto heard = out.heard;
    around_.tell(std::move(out));
    return heard ? caf::error{} : is_away();
  }

private:
  static caf::error is_away() {
    return caf::make_error(ec::overloaded, std::string{"no answer"});
  }

  const surroundings around_;
};

} // namespace

review_teller_actor world::spawn_reviews(read_model_actor reads,
                                         micros wall_offset_us,
                                         std::function<bool()> leads) {
  if (!knobs_.reviews)
    return {};
  told_.reviews_every_us = std::chrono::microseconds{reviews_every}.count();
  operators::review_teller_options with;
  with.work = std::make_shared<awaited_work>(waiting_by(review_chance_),
                                             std::move(reads));
  with.callbacks = std::make_shared<simulated_webhook>(
    simulated_webhook::surroundings{++review_tellers_, &review_chance_,
                                    [this] { return calm_; },
                                    [this](review_told x) {
                                      tell(std::move(x));
                                    }});
  with.webhook = "http://administrators";
  with.interval = reviews_every;
  with.pause = looks_every;
  with.leads = std::move(leads);
  with.clock
    = engine_clock{wall_offset_us + now_us(), scheduler_.clock().now()};
  return system_.spawn(operators::review_teller, std::move(with));
}

/// What needs review is not requeued before somebody was told of it.
void world::await_reviews() {
  if (!knobs_.reviews)
    return;
  for (int i = 0; i < 40 && any_review_untold(told_); ++i)
    let_time_pass(6s);
  tell(reviews_awaited{});
}

} // namespace depositd::simulation
