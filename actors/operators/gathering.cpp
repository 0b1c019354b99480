// What every slot and every log of records does, wherever it is.

#include "actors/operators/calls.hpp"

#include <algorithm>

namespace depositd::operators {

namespace {

template <class Report>
Report or_trouble(caf::expected<Report> x) {
  if (x)
    return std::move(*x);
  Report out;
  out.trouble = "no answer: " + render(x.error());
  return out;
}

} // namespace

void gather_slots(admin_pointer self, const admin_call_ptr& call,
                  std::function<void(const slots_gathered&)> use) {
  const auto all = std::make_shared<gathering<slots_gathered>>();
  all->use = std::move(use);
  const auto add = [=](const slots_report& x) {
    auto& slots = all->found.slots.entries;
    slots.insert(slots.end(), x.entries.begin(), x.entries.end());
  };
  ask(self, call, self->state.options.processors, report_slots{},
      [=](const slots_report& own) {
        add(own);
        for (const auto& [name, manager] : self->state.nodes) {
          all->found.nodes.push_back(name);
          ask_also<slots_report>(self, all, manager, report_slots{},
                                 [=, name = name](const auto& x) {
                                   if (x)
                                     add(*x);
                                   else
                                     all->found.silent.push_back(name);
                                 });
        }
        all->arrived();
      });
}

void gather_logs(admin_pointer self,
                 std::function<void(const std::vector<log_report>&)> use) {
  const auto all = std::make_shared<gathering<std::vector<log_report>>>();
  all->use = std::move(use);
  const auto& known = self->state.options.logs;
  auto logs = known ? known() : std::vector<record_log_pair>{};
  std::sort(logs.begin(), logs.end(),
            [](const auto& a, const auto& b) { return a.shard < b.shard; });
  for (const auto& log : logs) {
    const auto at = all->found.size();
    all->found.emplace_back().shard = log.shard;
    ask_also<intake_report>(self, all, log.in, report_intake{}, [=](auto x) {
      all->found[at].in = or_trouble(std::move(x));
    });
    ask_also<publisher_report>(
      self, all, log.out, report_publisher{},
      [=](auto x) { all->found[at].out = or_trouble(std::move(x)); });
  }
  all->arrived();
}

} // namespace depositd::operators
