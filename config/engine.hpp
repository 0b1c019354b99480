#pragma once

// The composition root: stores, actors and doors of one engine.

#include "actors/engine/core.hpp"
#include "actors/engine/grants.hpp"
#include "adapters/stores/objects/copy_gate.hpp"
#include "config/descriptors.hpp"
#include "config/orders.hpp"
#include "config/public_address.hpp"
#include "config/record_logs.hpp"
#include "config/settings.hpp"
#include "config/shared_shards.hpp"
#include "config/sources.hpp"
#include "config/stores.hpp"
#include "config/tracing.hpp"
#include "config/upkeep.hpp"
#include "config/work_cut.hpp"
#include "messages/actors.hpp"
#include "messages/ports/work_copy.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <functional>
#include <memory>
#include <string>

namespace depositd {

class doors;

namespace kit {
class request_quotas;
}

namespace gate {
class node_port;
}

/// CAF's configuration: where actors run, and what the node port needs.
class engine_config : public caf::actor_system_config {
public:
  /// For a node of processors: one thread.
  engine_config();

  /// For an engine.
  explicit engine_config(const depositd_settings& settings);
};

/// A running engine. Doors are open from `start` to `stop`.
class engine_node {
public:
  /// Opens the stores, recovers, spawns the actors, opens the doors; returns
  /// when all of that is done. The error is one line that names what is wrong.
  /// `failed` is called from any thread if the engine cannot go on.
  static caf::expected<std::unique_ptr<engine_node>>
  start(caf::actor_system& system, const depositd_settings& settings,
        std::function<void(const std::string&)> failed);

  ~engine_node();

  /// "ready http=... admin=... node=... data=...".
  std::string ready_line() const;

  /// Who carries out the commands of operators.
  const admin_actor& admin() const noexcept {
    return admin_;
  }

  /// Reads the certificates of all doors again.
  void reload();

  /// The same of those doors that do not look by themselves whether theirs have
  /// changed, where they have. Now and then, in the thread that reloads.
  void look_at_certificates();

  /// Bytes that count against the budget of memory now.
  std::uint64_t memory_used() const noexcept {
    return budget_->used();
  }

  /// Closes the doors, drains, lets all actors end. False: work goes on even
  /// though it was cut short, so shards are still ours and the process has to
  /// end as it is.
  bool stop();

  /// Ends what is in hand, also while `stop` waits for it and after this is
  /// gone.
  const work_cut_ptr& cut() const noexcept {
    return cut_;
  }

private:
  engine_node(caf::actor_system& system, const depositd_settings& settings);

  caf::error open_everything();

  // With one shard doors hold its actors; with several what stands for them.
  caf::error start_core();
  caf::error start_sharing();
  caf::error join_engines();

  caf::error prepare_node();
  caf::error await_recovery();
  caf::error spawn_operators();
  caf::error spawn_admin(std::string work_folder_id);
  caf::error open_node();
  caf::error open_doors();
  caf::error open_record_logs();
  caf::error open_schedulers();
  void spawn_supervisor();

  void drain_all();
  bool end_work();

  caf::actor_system& system_;
  depositd_settings settings_;
  pipelines_seen pipelines_; ///< of the configuration
  descriptor_shares shares_;
  std::unique_ptr<gate::node_port> node_; ///< outlives who connects through it
  stores stores_;
  std::shared_ptr<memory_budget> budget_;
  std::shared_ptr<kit::request_quotas> quotas_; ///< of all ways in
  depositd::engine::core_actors core_;          ///< with one shard
  std::unique_ptr<shared_shards> shared_;       ///< with several
  std::shared_ptr<span_sink> spans_; ///< null: nobody collects them
  records::tracer_actor tracer_;     ///< with one shard
  shards_actor shard_;                          ///< the core's, or the router
  read_model_actor reads_;                      ///< the core's, or the reader
  std::function<void(const std::string&)> failed_;
  topics_actor topics_;       ///< null without a log of records
  letter_desk_actor letters_; ///< likewise
  record_logs logs_;
  shard_schedulers schedulers_; ///< with one shard
  std::shared_ptr<log_roster> roster_ = std::make_shared<log_roster>();
  handler_actor handler_; ///< of the synchronous door
  processor_manager_actor processors_;
  std::shared_ptr<depositd::engine::grants> given_; ///< past the admin actor
  native_actor native_;
  shard_processors_actor node_face_;
  password_checker_actor passwords_;
  store_server_actor store_server_;
  admin_actor admin_;
  supervisor_actor supervisor_;
  submitter_actor submitter_;
  auditor_actor auditor_;
  catalogue_actor catalogue_;
  /// Between those who store objects in the data folder and backups.
  std::shared_ptr<ocfl::copy_gate> gate_ = std::make_shared<ocfl::copy_gate>();
  begin_work_copy begin_copy_; ///< null: stages keep nothing here
  object_copier_actor copier_;
  order_actors orders_;
  upkeep_actors upkeep_;
  work_cut_ptr cut_ = std::make_shared<work_cut>();
  std::unique_ptr<doors> doors_;
  std::shared_ptr<public_address> public_address_;
  std::uint16_t node_port_ = 0;
};

} // namespace depositd
