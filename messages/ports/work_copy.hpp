#pragma once

// Port: a copy of what stages keep beside the journal: objects, the catalogue
// of them, and identifiers. Adapter: config/kept_work.

#include "messages/values/errors.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace depositd {

/// One copy, made in the order of its functions, while the work goes on; each
/// blocks, and may be called from another thread than the one before. However
/// far it is, with its end everybody goes on.
class work_copy {
public:
  virtual ~work_copy() = default;

  /// Before the journal is copied: who begins to store an object waits from now
  /// on. What is stored so far is known to the journal. `ec::already_exists`
  /// while another copy is being made.
  virtual caf::error hold() = 0;

  /// After it: the catalogue and the identifiers, which then know of all that
  /// the copied journal says was done. Who waits goes on, and what they store
  /// is not in the copy.
  virtual caf::error copy_catalogue() = 0;

  /// The objects, as they were then. May take hours.
  virtual caf::error copy_objects() = 0;
};

/// Of what there is in this engine's data folder, into a folder that is there.
using begin_work_copy =
  std::function<std::shared_ptr<work_copy>(const std::filesystem::path&)>;

} // namespace depositd
