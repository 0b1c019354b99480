// How the logs of records do: what was read and published, and what is wrong.

#include "actors/journal/gather.hpp"
#include "actors/operators/calls.hpp"

#include <algorithm>

namespace depositd::operators {

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
