#pragma once

// A minter that needs nobody: what it has given is in a file of its own.

#include "messages/ports/minter.hpp"

#include <filesystem>
#include <memory>

namespace depositd {

struct local_minter_options {
  std::filesystem::path folder; ///< is there
  /// What every identifier begins with after "ark:/": authority and shoulder.
  std::string shoulder = "99999/fk4";
};

/// `ec::invalid_argument` for a shoulder that is none; `ec::store_failed` if
/// the file cannot be used, or another engine has it.
caf::expected<std::unique_ptr<minter>>
open_local_minter(const local_minter_options& options);

} // namespace depositd
