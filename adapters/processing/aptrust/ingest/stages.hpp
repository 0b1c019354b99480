#pragma once

// APTrust's ingest: the handlers of its stages, by their names.

#include "adapters/processing/aptrust/ingest/bag_in_hand.hpp"

namespace depositd::aptrust {

/// aptrust.prefetch, aptrust.validate, aptrust.reingest, aptrust.stage,
/// aptrust.identify, aptrust.store, aptrust.check, aptrust.record and
/// aptrust.cleanup. All of them may be called again with the same document
/// after a crash at any point.
stages::stage_handlers ingest_stages(ingest_options options);

} // namespace depositd::aptrust
