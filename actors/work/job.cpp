#include "actors/work/job.hpp"

#include "actors/rules/work/decide.hpp"

namespace depositd::work {

namespace {

caf::result<job_step> answer(caf::expected<job_step> x) {
  if (!x)
    return std::move(x.error());
  return std::move(*x);
}

} // namespace

job_actor::behavior_type job(job_actor::pointer self) {
  return {
    [=](const stage_ended& x) {
      self->quit();
      return answer(rules::after_stage(x));
    },
    [=](const job_wanted& x) {
      self->quit();
      return answer(rules::as_wanted(x));
    },
  };
}

} // namespace depositd::work
