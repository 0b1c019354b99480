#pragma once

// What every stage of an ingest begins and ends with.

#include "adapters/bagit/profiles.hpp"
#include "adapters/processing/aptrust/ingest/interim.hpp"
#include "adapters/processing/aptrust/skipping.hpp"
#include "adapters/processing/exec/program_groups.hpp"
#include "adapters/processing/merritt/fetching_turns.hpp"
#include "adapters/processing/merritt/promised_room.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"
#include "adapters/stores/files/file.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace depositd::aptrust {

/// Shared by all threads that do an ingest's stages.
struct ingest_options {
  std::shared_ptr<const stages::stage_tools> tools;
  std::shared_ptr<const bagit::profile_set> profiles;
  /// Of bags that name none; empty: they need none.
  std::string profile_otherwise;
  /// Program that tells PRONOM's ids; empty: they are not looked for.
  std::string siegfried;
  /// It is in these while it runs; null: in none.
  std::shared_ptr<exec::program_groups> programs;
  std::string node; ///< what this machine is called
  /// In the working folder, for what has not yet arrived; shared with all who
  /// put something there.
  std::shared_ptr<merritt::promised_room> room =
    std::make_shared<merritt::promised_room>();
  /// Of places, by queue and name, while bags are fetched from them.
  std::shared_ptr<stages::receiver_turns> turns =
    merritt::make_fetching_turns();
};

/// An item that a stage works on.
struct bag_in_hand {
  merritt::work_on_job& work;
  const ingest_options& with;
  work_item item; ///< whatever is changed here is written down
  interim_folder files;

  const std::string& object() const {
    return work.job.what.identifier;
  }
};

using ingest_step = std::function<outcome(bag_in_hand&)>;

/// Looks whether the item is to be worked on, does the step, and writes down
/// where the item is then.
stages::stage_handler
ingest_handler(std::shared_ptr<const ingest_options> options, item_stage stage,
               ingest_step step);

/// Of a failure while the bag was read: what is wrong with it is final, what
/// may pass is tried again; without room it waits, or fails if that is no use.
outcome ended_reading(const caf::error& failure);

/// Of a failure while lists of earlier stages were read beside other things:
/// what is gone or damaged there has to be made again, all else may pass.
outcome ended_by_lists(const caf::error& failure, const std::string& about);

/// Of any other failure: it may pass.
outcome ended_for_now(const caf::error& failure, const std::string& about);

/// A bag that can be read for as long as this lives.
struct readable_bag {
  std::filesystem::path path;
  unique_fd held; ///< that the path is of, if the bag is read in place
};

/// The bag in place, or in the working folder, where it is put if it is not
/// there yet. Room for what is to be `beside` it is taken with its own: who has
/// one and waits for the other might wait for who does the same.
/// `ec::store_damaged` if it is another one by now; errors of `take_room`;
/// `ec::quota_reached` while other bags of the place are fetched by all workers
/// but one: a bucket that trickles must leave one to other places.
caf::expected<readable_bag> bag_to_read(const bag_in_hand& x,
                                        std::uint64_t beside = 0);

/// Room for so many bytes that are to come into the working folder;
/// `ec::overloaded` if there is none now: a bag that does not fit must not
/// leave the engine and all other bags without a disk. `ec::bad_setting`: there
/// never is, the disk is too small. Whoever has got room gives it back.
caf::error take_room(const bag_in_hand& x, std::uint64_t bytes);

/// No more comes.
void give_back_room(const bag_in_hand& x);

/// Removes copies of the bag and its files; lists and reports stay for whoever
/// looks into it.
void forget_copies(const bag_in_hand& x);

/// `ec::store_damaged` if the bag in the receiving place is not the item's.
caf::error check_same_bag(const bag_in_hand& x);

/// The place that the bag came to; null if it is not set up here.
receiving_place* place_of(const bag_in_hand& x);

} // namespace depositd::aptrust
