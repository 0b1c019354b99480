// What every processor slot does, wherever it runs.

#include "actors/operators/calls.hpp"

namespace depositd::operators {

namespace {

struct gathering {
  slots_gathered found;
  std::function<void(const slots_gathered&)> use;
  std::size_t open = 1;

  void arrived() {
    if (--open == 0)
      use(found);
  }

  void add(const slots_report& x) {
    auto& all = found.slots.entries;
    all.insert(all.end(), x.entries.begin(), x.entries.end());
  }
};

void ask_nodes(admin_pointer self, const std::shared_ptr<gathering>& all) {
  const auto& options = self->state.options;
  for (const auto& [name, manager] : self->state.nodes) {
    ++all->open;
    all->found.nodes.push_back(name);
    self->request(manager, options.timeout_node, report_slots{})
      .then(
        [=](const slots_report& x) {
          all->add(x);
          all->arrived();
        },
        [=, name = name](const caf::error&) {
          all->found.silent.push_back(name);
          all->arrived();
        });
  }
}

} // namespace

void gather_slots(admin_pointer self, const admin_call_ptr& call,
                  std::function<void(const slots_gathered&)> use) {
  const auto all = std::make_shared<gathering>();
  all->use = std::move(use);
  ask(self, call, self->state.options.processors, report_slots{},
      [=](const slots_report& x) {
        all->add(x);
        ask_nodes(self, all);
        all->arrived();
      });
}

} // namespace depositd::operators
