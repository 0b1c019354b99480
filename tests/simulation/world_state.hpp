#pragma once

// What a life consists of: chance, time, the engines and all who deal with
// them, and what the world remembers of what it has done.

#include "messages/actors.hpp"
#include "messages/operator_actors.hpp"
#include "messages/receiving.hpp"
#include "tests/simulation/blobs.hpp"
#include "tests/simulation/disk.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/knobs.hpp"
#include "tests/simulation/links.hpp"
#include "tests/simulation/order_office.hpp"
#include "tests/simulation/simulated.hpp"
#include "tests/simulation/work_book.hpp"
#include "tests/support/memory_record_log.hpp"
#include "tests/support/memory_shard_leases.hpp"
#include "tests/support/temporary_folder.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

/// Of one world, which alone changes it. What is declared first outlives what
/// comes after it: engines end before the system of their actors.
struct world_state {
  struct system_config : caf::actor_system_config {
    system_config();
  };
  struct asked_question {
    const char* name = nullptr;
    std::size_t lost = 0; ///< engines, and shards of theirs, by then
  };
  struct submitted {
    item_id id = 0;
    std::string user;
    std::string name;
  };
  /// What an engine reads at its start.
  struct configured {
    configuration_seen queues;
    pipelines_seen pipelines;
    sources_seen sources;
  };
  struct held_up {
    caf::resumable* who;
    micros until_us;
  };
  /// Two engines, of which one or both do not hear the other, or which cannot
  /// reach each other.
  struct troubled_link {
    engine_number one = 0;
    engine_number other = 0;
    micros parts_us = never; ///< when both notice; never: they have
    micros ends_us = 0;
  };
  struct polled_item {
    std::string queue;
    item_name name;
  };

  world_state(std::uint64_t seed, const lessened& by);

  world_state(const world_state&) = delete;
  world_state& operator=(const world_state&) = delete;

  /// More than this without any time passing, and it never ends.
  static constexpr std::uint64_t messages_max_ = 300'000;
  static constexpr micros stall_max_us_ = 3'000'000;
  static constexpr std::uint32_t processors_max_ = 10;
  static constexpr std::uint32_t stage_workers_max_ = 12;
  static constexpr std::uint32_t consumers_max_ = 8;
  static constexpr std::uint32_t tellers_max_ = 3;

  chance chance_;
  knobs knobs_;
  std::vector<std::uint32_t> skipped_; ///< steps
  chance work_chance_;                 ///< of batches and jobs alone
  chance source_chance_;               ///< of sources alone
  chance move_chance_;                 ///< of moves alone
  chance look_up_chance_;              ///< of questions for deposits alone
  chance node_chance_;                 ///< of the node's troubles alone
  chance synchronous_chance_;          ///< of doors that process alone
  chance channel_chance_;              ///< of topics with channels alone
  chance cancel_chance_;               ///< of what operators cancel alone
  chance equal_chance_;                ///< of equal payloads alone
  chance cost_chance_; ///< of what queues share out alone
  chance fleeting_chance_; ///< of queues that come and go alone
  chance notify_chance_;   ///< of who tells depositors alone
  chance queue_chance_;    ///< of changed queues alone
  chance question_chance_; ///< of what is asked alone
  chance account_chance_;  ///< of what is set of users and keys alone
  chance renewal_chance_;  ///< of claims that are extended alone
  chance age_chance_;      ///< of what is over and gets old alone
  chance file_chance_;     ///< of deposits with their files alone
  chance ephemeral_chance_; ///< of channels that go with their consumers alone
  chance inquiry_chance_;  ///< of questions that few ask alone
  chance pipeline_chance_; ///< of changed pipelines alone
  chance restart_chance_;  ///< of changed configurations alone
  chance hand_chance_;     ///< of what is fed by hand alone
  chance link_chance_;     ///< of connections between engines alone
  chance backup_chance_;   ///< of backups alone
  chance deletion_chance_; ///< of objects that are deleted alone
  chance letter_chance_;   ///< of letters that are sent back alone
  chance late_chance_;     ///< of topics that come later alone
  chance grow_chance_;     ///< of partitions that are added alone
  chance wake_chance_;     ///< of what is woken alone
  chance blob_chance_;     ///< of large files alone
  chance review_chance_;   ///< of who tells administrators alone
  history told_;
  system_config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  std::chrono::steady_clock::time_point born_;
  static constexpr micros wall_began_us_ = 1'700'000'000'000'000;
  micros wall_offset_us_ = wall_began_us_; ///< jumps move it

  std::optional<temporary_folder> backup_folder_; ///< none: no backups
  std::optional<disk_copy> backup_; ///< the last one that was made
  std::uint32_t backups_ = 0;       ///< that somebody wanted
  std::shared_ptr<simulated_blobs> blobs_; ///< null: no large files
  std::vector<std::unique_ptr<shard_disk>> disks_;        ///< by shard
  std::unique_ptr<simulated_engine> engine_;              ///< null: down
  std::vector<std::unique_ptr<simulated_engine>> former_; ///< some still act
  caf::actor outside_; ///< clients, pollers, operators
  std::vector<std::shared_ptr<simulated_worker>> workers_;

  std::unique_ptr<order_office> office_; ///< null: nothing is deleted
  std::uint32_t review_tellers_ = 0;     ///< so many there were
  letter_desk_actor letters_;            ///< null: none goes back
  std::uint32_t letters_wanted_ = 0;     ///< so often

  std::vector<held_up> held_up_;

  static constexpr std::uint32_t lease_ms_ = 5'000;
  std::shared_ptr<memory_leases> database_;
  std::unique_ptr<engine_links> links_; ///< null: all that is said arrives
  std::vector<troubled_link> troubled_links_;
  std::vector<std::unique_ptr<sharing_engine>> engines_; ///< those gone, too
  std::vector<std::uint32_t> owners_; ///< number of the engine, by actor id
  std::vector<micros> arrivals_us_;   ///< when engines join
  std::map<std::string, admin_actor> admins_; ///< by address, of those up
  std::vector<item_id> deposited_;            ///< a few that were acknowledged
  std::vector<submitted> submitted_; ///< that their depositors ask for
  std::map<item_id, std::string> files_; ///< that came with deposits
  std::vector<submitted> in_work_;   ///< claimed by the door that took them in
  std::map<std::string, std::string> names_kept_; ///< SHA-256, by file name
  std::vector<submitted> kept_deposits_; ///< whose files are in the store
  std::vector<submitter_actor> submitters_;
  std::uint32_t large_records_ = 0;

  bool endless_ = false; ///< actors talk for ever: the life is over
  bool calm_ = true;     ///< nothing is broken on purpose: not yet, or no more
  bool suspended_ = false;
  std::map<std::string, queue_settings> queues_set_; ///< to begin with
  std::shared_ptr<memory_record_log> topics_; ///< null: none
  bool topics_begun_ = true; ///< an engine that starts reads and writes them
  std::int32_t partitions_ = 3; ///< of the ingress topic
  std::vector<std::pair<std::int32_t, std::string>> sent_records_;
  bool brokers_away_ = false;
  std::uint64_t messages_ = 0;
  std::uint32_t bodies_ = 0;
  std::uint32_t synchronous_ = 0; ///< deposits
  std::uint32_t files_sent_ = 0;
  std::uint32_t renewals_ = 0; ///< of claims that somebody wanted
  std::uint32_t messages_sent_ = 0; ///< to topics with channels
  std::uint32_t proposals_ = 0;
  std::uint32_t references_ = 0; ///< of moves
  std::uint32_t questions_asked_ = 0;
  std::map<std::uint32_t, asked_question> questions_; ///< without an answer
  std::uint32_t confirmed_ = 0;  ///< of the proposals that mend everything
  std::uint32_t worker_numbers_ = 0;
  std::uint64_t hand_outs_ = 0;
  std::vector<polled_item> polled_;      ///< not ended yet
  std::vector<item_name> polled_equals_; ///< likewise

  std::shared_ptr<simulated_node> node_; ///< null: none
  std::vector<std::shared_ptr<simulated_source>> sources_;
  std::uint32_t source_capacity_ = 10;
  std::uint32_t source_mark_ = 10;

  work_book work_;            ///< as operators see it
  std::size_t work_seen_ = 0; ///< entries that are in it
  std::uint32_t orders_ = 0;
  std::uint32_t revisions_ = 0; ///< of documents
  std::uint32_t fed_ = 0; ///< by hand
  configured file_; ///< what the engine that starts next is given
  bool books_held_ = false;
};

} // namespace depositd::simulation
