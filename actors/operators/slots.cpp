// What every processor slot does, wherever it runs.

#include "actors/journal/gather.hpp"
#include "actors/operators/calls.hpp"

namespace depositd::operators {

void gather_slots(admin_pointer self, const admin_call_ptr& call,
                  std::function<void(const slots_gathered&)> use) {
  const auto add = [](slots_gathered& found, const slots_report& x) {
    auto& all = found.slots.entries;
    all.insert(all.end(), x.entries.begin(), x.entries.end());
  };
  ask(self, call, self->state.options.processors, report_slots{},
      [=](const slots_report& x) {
        const journal::gathering<slots_gathered> all{
          [=](const caf::expected<slots_gathered>& found) { use(*found); }};
        add(all.result(), x);
        for (const auto& [name, manager] : self->state.nodes) {
          all.result().nodes.push_back(name);
          all.ask<slots_report>(
            self, manager, self->state.options.timeout_node, report_slots{},
            add, [name = name](slots_gathered& found, const caf::error&) {
              found.silent.push_back(name);
            });
        }
        all.close();
      });
}

} // namespace depositd::operators
