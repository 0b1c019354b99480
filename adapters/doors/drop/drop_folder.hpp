#pragma once

// The door that is a folder: files that appear in PATH/USER are submitted for
// that user as metadata deposits. See "Drop folder" in docs/PROTOCOL.md.

#include "adapters/doors/drop/ready_files.hpp"
#include "adapters/doors/drop/user_folder.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/shard.hpp"


#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace depositd::drop {

/// Time to look at the folders.
struct scan_due {};

} // namespace depositd::drop

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::drop::scan_due)

namespace depositd::drop {

struct drop_folder_options {
  std::filesystem::path path; ///< holds one folder per user
  std::chrono::milliseconds scan_interval{1'000};
  shard_doors_actor shard;
  read_model_actor projector;
  /// A scan is not waited for when the engine ends.
  std::shared_ptr<blob_store> blobs;
  std::size_t file_bytes_max = 10 * 1024 * 1024;
  /// False: accepted files are removed instead of kept in `.done`.
  bool keep_done = true;
  /// Of the shard and the projector. Of a submission that took longer it is
  /// found out later whether it was accepted.
  std::chrono::milliseconds request_timeout{60'000};
  /// How long a user's folder is left alone when nothing can be taken: too
  /// many pending, engine draining, disk full.
  std::chrono::milliseconds retry_pause{10'000};
  std::size_t files_per_scan_max = 100;
  std::size_t folders_per_scan_max = 1'000; ///< the others come next
  std::size_t files_per_folder_max = 1'000; ///< seen of one user's folder
};

/// Files are taken while the control state says so.
using drop_folder_actor = caf::typed_actor<caf::reacts_to<control_changed>>;

using drop_folder_self = drop_folder_actor::extend<caf::reacts_to<scan_due>>;

/// A file that is a submission already and was not moved yet.
struct accepted_file {
  file_stamp stamp;
  item_id id = 0;
};

/// A file that its disk did not give.
struct unread_file {
  file_stamp stamp;
  ready_files::time_point not_before{}; ///< when it is tried again
};

/// What is known of one user's folder.
struct folder_state {
  ready_files seen;
  std::deque<listed_file> due; ///< ready, to be taken one after the other
  bool busy = false;           ///< one is on its way
  ready_files::time_point not_before{}; ///< nothing is taken until then
  std::map<std::string, accepted_file> accepted; ///< by file name
  std::map<std::string, unread_file> unread;     ///< likewise, told once each
  std::string problem; ///< the last one told, so that it is told once
};

/// A file on its way in; its bytes are in the blob store.
struct drop_job {
  std::string user;
  listed_file file;
  std::string blob; ///< SHA-256, hexadecimal
};

struct drop_folder_state {
  using interface = drop_folder_self;

  drop_folder_options options;
  control_snapshot control;                    ///< null: not known yet
  std::map<std::string, folder_state> folders; ///< by user
  std::set<std::string> foreign; ///< folders without account, told once each
  std::string looked_at_last;    ///< the next look begins after it
  bool root_failed = false;      ///< told once
};

/// Blocks on files and the blob store, so wiring spawns it detached. Ends when
/// told to exit; what it was about to do it does after the next start.
drop_folder_self::behavior_type drop_folder(actor_with<drop_folder_state>* self,
                                            drop_folder_options options);

} // namespace depositd::drop
