#pragma once

// The working folder, and whether it is the one that all share.

#include "config/settings.hpp"
#include "messages/values/errors.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace depositd {

/// `work.folder`, or where it is without that setting.
std::filesystem::path work_folder_of(const depositd_settings& settings);

/// What the store knows the working folder by, and what is wrong with ours.
struct work_folder_state {
  std::string id;
  caf::error wrong; ///< none: it is the one, and files can be made in it
};

/// For an engine, whose store is open and whose folder is there: marks the
/// folder if it is to be the one that all share from now on. An error if the
/// store did not answer.
caf::expected<work_folder_state>
open_work_folder(const depositd_settings& settings);

/// What a joined node knows of its own. Safe to use from any thread.
class work_folder_proof {
public:
  explicit work_folder_proof(const depositd_settings& settings);
  ~work_folder_proof();

  /// Whether it was proven to be that of the engine which was named last.
  bool holds() const;

  /// The engine that was joined says what the folder is known by. What was
  /// proven for the same id stays so until it is looked at again.
  void expect(const std::string& id);

  /// Looks, and logs what has changed. Blocks as long as the file system does.
  void look();

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace depositd
