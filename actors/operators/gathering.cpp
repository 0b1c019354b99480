// What every slot and every log of records does, wherever it is.

#include "actors/journal/gather.hpp"
#include "actors/operators/calls.hpp"

#include <algorithm>
#include <utility>

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

void count_theirs(admin_pointer self, const admin_call_ptr& call,
                  count_pending what, const pending_counted& in_ring,
                  std::function<void(const pending_counted&)> use) {
  depositd::ask(self, self->state.options.shard, self->state.options.timeout,
                std::move(what),
                [=, use = std::move(use)](
                  const caf::expected<pending_counted>& x) {
                  if (x)
                    use(*x);
                  else if (x.error() == ec::not_found)
                    use(in_ring);
                  else
                    refuse(call, x.error());
                });
}

namespace {

/// Of a queue that some shards do not know: a topic's are in one of them.
void with_listed(admin_pointer self, const admin_call_ptr& call,
                 const std::string& queue,
                 std::function<void(const ring_report*)> use) {
  ask(self, call, self->state.options.shard, list_queues{},
      [=, use = std::move(use)](const queues_listed& x) {
        for (const auto& one : x.queues)
          if (one.name == queue) {
            ring_report out;
            out.queue = one.name;
            out.ready = one.ready;
            out.in_flight = one.in_flight;
            return use(&out);
          }
        use(nullptr);
      });
}

} // namespace

void with_ring(admin_pointer self, const admin_call_ptr& call,
               const std::string& queue,
               std::function<void(const ring_report*)> use) {
  if (queue.empty()) // which would be all
    return use(nullptr);
  depositd::ask(
    self, self->state.options.shard, self->state.options.timeout,
    show_rings{queue, "", 1},
    [=, use = std::move(use)](const caf::expected<rings_shown>& x) {
      if (x && !x->rings.empty())
        use(&x->rings.front());
      else if (x || x.error() == ec::not_found)
        with_listed(self, call, queue, use);
      else
        refuse(call, x.error());
    });
}

void gather_logs(admin_pointer self,
                 std::function<void(const std::vector<log_report>&)> use) {
  using reports = std::vector<log_report>;
  const journal::gathering<reports> all{
    [=](const caf::expected<reports>& found) { use(*found); }};
  const auto& options = self->state.options;
  auto logs = options.logs ? options.logs() : std::vector<record_log_pair>{};
  std::sort(logs.begin(), logs.end(),
            [](const auto& a, const auto& b) { return a.shard < b.shard; });
  all.result().resize(logs.size());
  const auto ask_half = [&](const auto& whom, auto what, auto half,
                            std::size_t at) {
    using report = std::remove_reference_t<decltype(all.result()[at].*half)>;
    all.ask<report>(
      self, whom, options.timeout_node, what,
      [=](reports& found, const report& x) { found[at].*half = x; },
      [=](reports& found, const caf::error& why) {
        (found[at].*half).trouble = "no answer: " + render(why);
      });
  };
  for (std::size_t i = 0; i < logs.size(); ++i) {
    all.result()[i].shard = logs[i].shard;
    ask_half(logs[i].in, report_intake{}, &log_report::in, i);
    ask_half(logs[i].out, report_publisher{}, &log_report::out, i);
  }
  all.close();
}

} // namespace depositd::operators
