#include "actors/work/batch.hpp"

#include "actors/rules/work/decide.hpp"

namespace depositd::work {

namespace {

caf::result<batch_step> answer(caf::expected<batch_step> x) {
  if (!x)
    return std::move(x.error());
  return std::move(*x);
}

} // namespace

batch_actor::behavior_type batch(batch_actor::pointer self) {
  return {
    [=](const batch_stage_ended& x) {
      self->quit();
      return answer(rules::after_stage(x));
    },
    [=](const batch_wanted& x) {
      self->quit();
      return answer(rules::as_wanted(x));
    },
  };
}

} // namespace depositd::work
