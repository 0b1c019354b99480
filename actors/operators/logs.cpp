// How the logs of records do: what was read and published, and what is wrong.

#include "actors/operators/calls.hpp"

#include <algorithm>

namespace depositd::operators {

namespace {

struct gathering {
  std::vector<log_report> found;
  std::function<void(const std::vector<log_report>&)> use;
  std::size_t open = 1;

  void arrived() {
    if (--open == 0)
      use(found);
  }
};

} // namespace

void gather_logs(admin_pointer self,
                 std::function<void(const std::vector<log_report>&)> use) {
  const auto all = std::make_shared<gathering>();
  all->use = std::move(use);
  const auto& options = self->state.options;
  auto logs = options.logs ? options.logs() : std::vector<record_log_pair>{};
  std::sort(logs.begin(), logs.end(), [](const auto& a, const auto& b) {
    return a.shard < b.shard;
  });
  for (const auto& log : logs) {
    const auto at = all->found.size();
    all->found.emplace_back().shard = log.shard;
    all->open += 2;
    self->request(log.in, options.timeout_node, report_intake{})
      .then(
        [=](const intake_report& x) {
          all->found[at].in = x;
          all->arrived();
        },
        [=](const caf::error& why) {
          all->found[at].in.trouble = "no answer: " + render(why);
          all->arrived();
        });
    self->request(log.out, options.timeout_node, report_publisher{})
      .then(
        [=](const publisher_report& x) {
          all->found[at].out = x;
          all->arrived();
        },
        [=](const caf::error& why) {
          all->found[at].out.trouble = "no answer: " + render(why);
          all->arrived();
        });
  }
  all->arrived();
}

} // namespace depositd::operators
