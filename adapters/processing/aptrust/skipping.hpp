#pragma once

// Whether an ingest's item that is handed out is to be worked on: the rules in
// their order. Pure: what they need of the world comes in as facts. They stand
// here and not in actors/rules because handlers of stages are adapters, which
// know no room of actors.
//
// What APTrust's rules say of items that are finished, of another stage or in
// another worker's hands needs no rule: a queue hands out none of them
// (docs/decisions/0035).

#include "adapters/processing/aptrust/work_item.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>

namespace depositd::aptrust {

/// What is under the item's name in the receiving place.
enum class bag_state : std::uint8_t {
  unknown, ///< it could not be asked: the work goes on
  same,
  changed, ///< another tag: the depositor has sent it again
  gone,
};

struct skip_facts {
  /// These very bytes were ingested by another item since this one was made.
  bool recorded_since = false;
  /// What earlier stages have found out is there.
  bool has_interim = false;
  /// An earlier bag of this name and institution is on its way.
  bool older_unfinished = false;
  /// A later one is there.
  bool newer_unfinished = false;
  /// A later one has become the object's last version since this one was
  /// compared with it.
  bool newer_recorded = false;
  bag_state bag = bag_state::unknown;
};

enum class skip_reason : std::uint8_t {
  none, ///< it is to be worked on
  already_ingested,
  older_unfinished,
  newer_exists,
  newer_recorded,
  bag_gone,
  bag_changed,
};

/// Which rule applies first. `x.stage` is the one that it was handed out for.
skip_reason should_skip(const work_item& x, const skip_facts& facts);

/// What becomes of an item that is not worked on.
struct skip_effect {
  verdict says = verdict::done;
  std::string note; ///< for people; empty: it is to be worked on
};

/// Changes the item as the rule wants it. An older bag on its way makes the
/// item wait ("not yet"); an item that was cancelled cannot come back; one
/// whose bag is gone can, once the bag is there again.
skip_effect apply_skip(work_item& x, skip_reason why);

} // namespace depositd::aptrust
