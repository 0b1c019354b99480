// The engine as a whole.

#include "actors/cluster/keeper/keeper.hpp"
#include "actors/operators/command.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace depositd::operators {

namespace about_server {
namespace {

/// Sums are of all queues, also of those that are on other pages.
void add_queues(document& to, const queues_listed& listed,
                const admin_arguments& in) {
  std::map<std::string_view, const queue_report*> by_name;
  std::uint64_t ready = 0;
  std::uint64_t in_flight = 0;
  for (const auto& queue : listed.queues) {
    by_name[queue.name] = &queue;
    ready += queue.ready;
    in_flight += queue.in_flight;
  }
  to["queues_total"] = by_name.size();
  to["ready"] = ready;
  to["in_flight"] = in_flight;
  add_page(to, "queues", by_name, in,
           [](const auto& x) { return queue_document(*x.second); });
}

document status_document(admin_pointer self, const admin_arguments& in,
                         const control_state& state,
                         const queues_listed& listed,
                         const std::vector<slots_report::entry>& slots,
                         const store_report& store) {
  const auto& options = self->state.options;
  const auto started = self->state.started_us;
  const auto now = options.clock.at(self->clock().now());
  const auto busy = std::count_if(slots.begin(), slots.end(),
                                  [](const auto& x) { return x.item != 0; });
  document out{{"version", options.version},
               {"started_at", time_or_null(started)},
               {"uptime_s", (now - started) / 1'000'000},
               {"suspended", listed.suspended},
               {"drop_folder_polling", state.server.drop_folder_polling},
               {"slots", {{"total", slots.size()}, {"busy", busy}}},
               {"accounts", state.accounts.size()},
               {"queues", document::array()},
               {"store",
                {{"journalled", store.journalled},
                 {"projected", store.projected},
                 {"journal_bytes", store.journal_bytes},
                 {"extents", store.segments}}},
               {"record_logs", document::array()}};
  add_queues(out, listed, in);
  return out;
}

/// Adds what the logs of records do, in every engine. Functions are copied, so
/// they share what may be about very many queues.
void deliver_with_logs(admin_pointer self, const admin_call_ptr& call,
                       document known) {
  const auto out = std::make_shared<document>(std::move(known));
  gather_all_logs(self, [=](const logs_gathered& x) {
    (*out)["record_logs"] = x.logs;
    (*out)["engines_silent"] = x.silent;
    deliver(call, *out);
  });
}

void status(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    ask(self, call, self->state.options.shard, list_queues{},
        [=](const queues_listed& listed) {
          const auto queues = std::make_shared<queues_listed>(listed);
          gather_slots(self, call, [=](const slots_gathered& slots) {
            ask(self, call, self->state.options.projector, report_store{},
                [=](const store_report& store) {
                  deliver_with_logs(
                    self, call,
                    status_document(self, call->arguments, *control, *queues,
                                    slots.slots.entries, store));
                });
          });
        });
  });
}

std::vector<view_block> status_view() {
  view_block engine{.kind = block_kind::pairs};
  engine.columns = columns(
    "version={version}; up={uptime_s} s, since {started_at:time}; "
    "state={suspended?}||open; slots={slots.busy} of {slots.total} busy; "
    "accounts={accounts}; journal={store.journalled} events, "
    "{store.projected} projected, {store.journal_bytes} bytes");
  return {engine, apart(queue_table()), next_page_line("queues"),
          apart(record_log_table(), "record_logs")};
}

// -- shards -------------------------------------------------------------------

document shards_document(const lease_table& table) {
  auto shards = document::array();
  for (const auto& x : table.shards)
    shards.push_back({{"shard", x.shard},
                      {"engine", x.owner.name},
                      {"address", x.owner.address},
                      {"epoch", x.epoch},
                      {"left_ms", x.left_ms}});
  auto engines = document::array();
  for (const auto& x : table.engines)
    engines.push_back({{"engine", x.who.name},
                       {"address", x.who.address},
                       {"left_ms", x.left_ms},
                       {"reaches_logs", x.reaches_logs}});
  return {{"shards", std::move(shards)}, {"engines", std::move(engines)}};
}

void shards(admin_pointer self, const admin_call_ptr& call) {
  const auto& known = self->state.options.keeper;
  const auto keeper = known ? known() : nullptr;
  if (!keeper)
    return refuse(call, ec::not_found, "this engine shares no shards");
  ask(self, call, caf::actor_cast<shard_keeper_actor>(keeper), list_shards{},
      [=](const shards_listed& x) { deliver(call, shards_document(x.table)); });
}

// -- settings -----------------------------------------------------------------

document server_document(const server_changed& x) {
  return {{"suspended", x.suspended},
          {"drop_folder_polling", x.drop_folder_polling}};
}

/// Sets one side of the server's state.
decide_function set(bool server_changed::*side, bool on) {
  return [=](const admin_arguments&, const control_state& now) {
    auto wanted = now.server;
    wanted.*side = on;
    return changed(now.server, wanted, server_document);
  };
}

/// What was given at the start; what nobody gave is as
/// docs/operations/settings.md says.
void settings(admin_pointer self, const admin_call_ptr& call) {
  document out{{"settings", document::array()}};
  for (const auto& x : self->state.options.settings)
    out["settings"].push_back(
      {{"key", x.key}, {"value", x.value}, {"origin", x.origin}});
  deliver(call, out);
}

} // namespace
} // namespace about_server

std::vector<command> server_commands() {
  using namespace about_server;
  const auto suspended = &server_changed::suspended;
  const auto polling = &server_changed::drop_folder_polling;
  const auto shard_table =
    table_view("shards", ">SHARD={shard}; ENGINE={engine}; ADDRESS={address}; "
                         ">EPOCH={epoch}; >LEFT MS={left_ms}");
  const auto engine_table = table_view(
    "engines", "ENGINE={engine}; ADDRESS={address}; >LEFT MS={left_ms}; "
               "REACHES LOGS={reaches_logs}");
  return {
    concerning(
      concern::nobody,
      reading("status", "The engine at a glance",
              {limit_argument(1'000),
               after_argument("QUEUE", "Go on after this name", "queue list")},
              status_view(), status)),
    concerning(concern::nobody,
               reading("shards", "Which engine has which shard", {},
                       {shard_table, apart(engine_table)}, shards)),
    reading("settings", "What the engine was started with", {},
            {table_view("settings", "SETTING={key}; VALUE={value}; "
                                    "FROM={origin}")},
            settings),
    operating(doing("suspend", "Hand out nothing from any queue", {},
                    set(suspended, true))),
    operating(doing("resume", "End of suspend", {}, set(suspended, false))),
    operating(doing("drop suspend", "Stop looking into the drop folder", {},
                    set(polling, false))),
    operating(doing("drop resume", "Look into the drop folder again", {},
                    set(polling, true))),
  };
}

} // namespace depositd::operators
