#pragma once

// What Merritt's first stages do with one job. Each can be repeated after a
// crash at any point.

#include "adapters/processing/merritt/promised_room.hpp"
#include "adapters/processing/merritt/room_watch.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"

#include <chrono>

namespace depositd::merritt {

/// Puts the payload into the working folder, checked and unpacked; a manifest
/// is only put beside. Rejected: a fault of the job's row, a wrong digest, an
/// archive that cannot be unpacked.
outcome stage_payload(work_on_job& x);

/// What asking for sizes may take in all. Servers may think for minutes about
/// each, and the download finds out anyway.
inline constexpr std::chrono::hours measuring_max{1};

/// Asks for the sizes of what a manifest names, as far as that can be known
/// `within` that time. Rejected: a corrupt manifest. Failed: a row that is not
/// there.
outcome estimate_space(work_on_job& x,
                       std::chrono::milliseconds within = measuring_max);

/// Waits until the disk has room. `waiting` may be null: then the job asks
/// again after the stage's own delay.
outcome provision_space(work_on_job& x, promised_room& room,
                        room_watch* waiting);

/// Fetches what a manifest names. Failed: a row that is not there, or not what
/// it must be.
outcome download_rows(work_on_job& x, promised_room& room);

/// Finds out which object it is, gives it an identifier, and writes its system
/// files.
outcome process_object(work_on_job& x);

} // namespace depositd::merritt
