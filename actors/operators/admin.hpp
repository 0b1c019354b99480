#pragma once

// Every operator command as one JSON document. Reads go to whoever knows;
// changes are decided here against the newest control state, one at a time, and
// proposed to the shard. docs/operations/commands.md lists commands and
// documents.

#include "actors/operators/arguments.hpp"
#include "actors/operators/documents.hpp"

#include "actors/engine/grants.hpp"
#include "actors/rules/access/access.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/ports/known_peers.hpp"
#include "messages/ports/work_copy.hpp"
#include "messages/values/clock.hpp"

#include <spdlog/logger.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace depositd::operators {

/// What reads and publishes for one shard.
struct record_log_pair {
  shard_number shard = 0;
  intake_actor in;
  publisher_actor out;
};

/// Account names of this machine, by user id; empty: none.
using account_names = std::function<std::string(std::uint32_t)>;

/// A setting of the engine's file or command line.
struct shown_setting {
  std::string key;   ///< dotted
  std::string value; ///< *** where it is secret
  std::string origin;
};

struct admin_options {
  shards_actor shard;
  shard_processors_actor shard_for_nodes; ///< what they see of it
  password_checker_actor passwords;       ///< null: nobody can sign in
  /// Who sends what comes from other nodes; null: nobody knows.
  std::shared_ptr<const known_peers> peers;
  account_names account_name = [](std::uint32_t) { return std::string{}; };
  /// Not null; takes down whom this actor lets in.
  std::shared_ptr<depositd::engine::grants> given =
    std::make_shared<depositd::engine::grants>(rules::access::own_people{});
  read_model_actor projector;
  processor_manager_actor processors;
  native_actor native;        ///< what `connect_native` answers
  submitter_actor submitter;  ///< see actors/operators/submitter.hpp
  catalogue_actor catalogue;  ///< null: there is no inventory
  letter_desk_actor letters;  ///< null: no log of records
  auditor_actor auditor;      ///< null: the audit log is not kept in files
  order_desk_actor orders;    ///< null: there is no inventory
  reconciler_actor due;       ///< likewise
  store_server_actor stores;  ///< null: no node may join
  begin_work_copy begin_copy; ///< null: stages keep nothing here
  object_copier_actor copier; ///< null if `begin_copy` is
  std::vector<std::string> storage; ///< names of targets that are set up
  std::string work_folder_id; ///< for nodes that join
  topics_actor topics;        ///< null: no log of records is configured
  std::string engine;         ///< its name, for nodes that join
  /// Takes the call of another engine and says what this one owns; none if it
  /// shares no users.
  std::function<caf::expected<engine_met>(const meet_engine&)> meet;
  /// Who keeps its leases, a shard_keeper_actor; none if it shares no users.
  std::function<caf::strong_actor_ptr()> keeper;
  /// Of the shards that this engine owns now; null without a log of records.
  std::function<std::vector<record_log_pair>()> logs;
  std::string version;
  std::vector<shown_setting> settings; ///< that it was started with
  engine_clock clock = engine_clock::system();
  std::chrono::seconds timeout{10};         ///< for anything but:
  std::chrono::seconds timeout_node{2};     ///< for what a joined node is asked
  std::chrono::seconds timeout_long{3'600}; ///< backups, bulk actions
  std::chrono::seconds timeout_copy{7 * 86'400}; ///< of all objects
  std::shared_ptr<spdlog::logger> audit; ///< one line per change; not null
};

/// One command on its way, from request to answer.
struct admin_call {
  caf::typed_response_promise<admin_reply> answer;
  std::string command;
  rules::access::caller by; ///< who gives it
  admin_arguments arguments;
  document before; ///< what an order is about, once that is known
  /// An order, of which the audit log says nothing yet.
  bool owes_line = false;
  std::shared_ptr<spdlog::logger> audit;
  std::shared_ptr<const void> place; ///< among those of its node
};
using admin_call_ptr = std::shared_ptr<admin_call>;

/// Somebody who gave their password over a connection.
struct signed_in_peer {
  peer who; ///< the same one must still be there
  std::string name;
};

/// Lines of the log about refused requests, so that nobody fills a disk.
struct refusal_lines {
  std::chrono::steady_clock::time_point second;
  std::uint32_t in_second = 0;
  std::uint64_t left_out = 0; ///< since the last line
};

struct admin_state {
  using interface = admin_actor;

  admin_options options;
  micros started_us = never;

  /// Changes in order of arrival; the first is being made. One at a time,
  /// because each is decided on what the one before has left.
  std::deque<admin_call_ptr> changes;

  std::map<caf::node_id, signed_in_peer> signed_in;
  /// Passwords that are being checked, by who tries them.
  std::map<std::string, std::size_t> signing_in;
  refusal_lines refusals;
  /// Each command of another node that is not answered yet holds its node's.
  std::map<caf::node_id, std::shared_ptr<const void>> places;

  /// Nodes of processors that have joined, by name.
  std::map<std::string, processor_manager_actor> nodes;
};

/// Answers until it is killed; holds nothing that must be saved.
admin_actor::behavior_type admin(actor_with<admin_state>* self,
                                 admin_options options);

} // namespace depositd::operators
