#pragma once

// Bodies by content, of a store that says in the log when it does not work.

#include "messages/ports/blob_store.hpp"

#include <memory>

namespace depositd {

/// `blobs_fail` when that begins, and `blobs_work` when it is over: whoever
/// deposits is told to come again, and would be the only one to know.
std::unique_ptr<blob_store> make_telling_blobs(std::unique_ptr<blob_store> on);

} // namespace depositd
