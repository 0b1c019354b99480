// What of an engine works on items, and what operators talk to.

#include "actors/engine/native.hpp"
#include "actors/engine/node_face.hpp"
#include "actors/operators/admin.hpp"
#include "actors/operators/auditor.hpp"
#include "actors/operators/catalogue.hpp"
#include "actors/operators/object_copier.hpp"
#include "actors/operators/submitter.hpp"
#include "actors/processors/manager.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "adapters/node/password_checker.hpp"
#include "adapters/node/store_server.hpp"
#include "adapters/processing/merritt/lock_clock.hpp"
#include "adapters/stores/files/audit_lines.hpp"
#include "config/aptrust.hpp"
#include "config/audit_log.hpp"
#include "config/engine.hpp"
#include "config/handlers.hpp"
#include "config/kept_work.hpp"
#include "config/node_door.hpp"
#include "config/node_name.hpp"
#include "config/own_people.hpp"
#include "config/shown_settings.hpp"
#include "config/stage_tools.hpp"
#include "config/version.hpp"
#include "config/work_folder.hpp"
#include "messages/workers.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd {

namespace {

/// The stores, for processors on nodes that join.
store_server_actor spawn_store_server(caf::actor_system& system,
                                      const stores& durable,
                                      const stages::stage_tools& tools) {
  const node::served_stores served{
    durable.blobs,
    durable.registry,
    std::make_shared<node::blob_pieces>(durable.blobs),
    tools.inventory,
    tools.minter,
    merritt::lock_time};
  return workers<store_server_actor>(system, {.count = 2}, [&system, served] {
    return system.spawn<caf::detached>(node::store_server, served);
  });
}

submitter_actor spawn_submitter(caf::actor_system& system,
                                const operators::submitter_options& options) {
  return workers<submitter_actor>(system, {.count = 2}, [&system, options] {
    return system.spawn<caf::detached>(operators::submitter, options);
  });
}

/// One copy at a time; the thread comes with the first.
object_copier_actor spawn_copier(caf::actor_system& system) {
  workers_options one;
  one.count = 1;
  one.waiting_max = 1;
  one.job_timeout = std::chrono::hours{24 * 7};
  return workers<object_copier_actor>(system, one, [&system] {
    return system.spawn<caf::detached>(operators::object_copier,
                                       operators::object_copier_options{});
  });
}

/// Null: the log is not kept in files. The thread comes with the first
/// question.
auditor_actor spawn_auditor(caf::actor_system& system,
                            const depositd_settings& settings) {
  const auto folder = audit_folder_of(settings);
  if (folder.empty())
    return {};
  return workers<auditor_actor>(system, {.count = 1}, [&system, folder] {
    return system.spawn<caf::detached>(operators::auditor,
                                       std::make_shared<audit_lines>(folder));
  });
}

} // namespace

caf::error engine_node::spawn_operators() {
  auto tools =
    open_stage_tools(system_, settings_, stores_, reads_, shard_, gate_, cut_);
  if (!tools)
    return std::move(tools.error());
  const auto inventory = (*tools)->inventory;
  const auto leads = shared_ ? shared_->leads() : nullptr;
  upkeep_ = spawn_upkeep(system_, settings_, **tools, leads, shard_);
  auto profiles = open_profiles(settings_);
  if (!profiles)
    return std::move(profiles.error());
  auto handlers = handlers_of(
    system_, settings_, stores_.blobs, stores_.registry,
    settings_.store.kind == store_kind::postgres ? stores_are::elsewhere
                                                 : stores_are::here,
    budget_);
  handler_ = handlers.spawn_apart(synchronous_threads);
  // Before the handlers, which notice when its marker goes.
  auto folder = open_work_folder(settings_);
  if (!folder)
    return std::move(folder.error());
  if (folder->wrong)
    spdlog::error("work_folder_not_shared folder={} reason=\"{}\"",
                  work_folder_of(settings_).string(), render(folder->wrong));
  processors::processor_manager_options working{shard_,
                                                std::move(handlers.spawn)};
  auto made = stage_handlers_of(system_, settings_, *tools,
                                std::move(*profiles), cut_, public_address_);
  working.spawn_stage_handler = std::move(made.spawn);
  working.stage_begun = std::move(made.begun);
  working.has_work_folder = [shared = !folder->wrong] { return shared; };
  working.called = node_name(settings_);
  if (shared_ && !shared_->is_alone())
    working.engine = working.called;
  processors_ =
    system_.spawn(processors::processor_manager, std::move(working));
  native_ = system_.spawn(
    depositd::engine::native,
    depositd::engine::native_options{
      shard_, given_,
      [quotas = quotas_](const control_state& known, const std::string& queue,
                         const std::string& user, auto now) {
        return quotas->take(known, queue, user, now);
      }});
  node_face_ =
    system_.spawn(depositd::engine::node_face,
                  depositd::engine::node_face_options{shard_, given_});
  passwords_ = system_.spawn<caf::detached>(node::password_checker,
                                            node::password_checker_options{});
  submitter_ = spawn_submitter(
    system_, {stores_.blobs, shard_,
              std::size_t{settings_.crossref.body_limit_mb} << 20});
  catalogue_ = system_.spawn<caf::detached>(operators::catalogue, inventory);
  begin_copy_ = work_copies_of(settings_, **tools, gate_);
  copier_ = spawn_copier(system_);
  auditor_ = spawn_auditor(system_, settings_);
  orders_ =
    spawn_orders(system_, settings_, **tools, shard_, catalogue_, leads);
  store_server_ = spawn_store_server(system_, stores_, **tools);
  return spawn_admin(std::move(folder->id));
}

caf::error engine_node::spawn_admin(std::string work_folder_id) {
  operators::admin_options operating;
  operating.shard = shard_;
  operating.projector = reads_;
  operating.processors = processors_;
  operating.native = native_;
  operating.shard_for_nodes = node_face_;
  operating.passwords = passwords_;
  // It ends with the port, as what uses the stores ends with them.
  operating.peers = {std::shared_ptr<void>{}, node_.get()};
  operating.account_name = account_name;
  operating.given = given_;
  operating.submitter = submitter_;
  operating.catalogue = catalogue_;
  operating.begin_copy = begin_copy_;
  operating.auditor = auditor_;
  operating.copier = copier_;
  operating.orders = orders_.desk;
  operating.due = orders_.due;
  operating.stores = store_server_;
  operating.work_folder_id = std::move(work_folder_id);
  for (const auto& [name, target] : settings_.storage)
    operating.storage.push_back(name);
  if (has_record_logs(settings_)) {
    topics_ = spawn_topics(system_, settings_);
    operating.topics = topics_;
    letters_ = spawn_letter_desk(system_, settings_);
    operating.letters = letters_;
    operating.logs = [roster = roster_] { return roster->all(); };
  }
  operating.engine = node_name(settings_);
  if (shared_) {
    operating.meet = shared_->met();
    operating.keeper = shared_->keeper_later();
  }
  operating.version = version_text;
  operating.settings = shown_settings(settings_);
  operating.audit = audit_log(settings_);
  admin_ = system_.spawn(operators::admin, std::move(operating));
  return {};
}

} // namespace depositd
