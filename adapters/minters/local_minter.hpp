#pragma once

// A minter that needs nobody: what it has given is in a file of its own.

#include "messages/ports/minter.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

/// Identifiers of objects behind this one, by name, a page of them; empty at
/// the end.
using identifiers_after =
  std::function<caf::expected<std::vector<std::string>>(const std::string&)>;

/// Whether an object has this identifier.
using identifier_taken = std::function<caf::expected<bool>(const std::string&)>;

struct local_minter_options {
  std::filesystem::path folder; ///< is there
  /// What every identifier begins with after "ark:/": authority and shoulder.
  std::string shoulder = "99999/fk4";
  /// Asked before the first identifier of a file: one that begins anew, since
  /// the last was lost, goes on far behind those that objects have. None: there
  /// are no objects.
  identifiers_after known = nullptr;
  /// Asked of each that would be given: what an object has already, as one
  /// whose depositor has named its identifier, is passed over. None: no object
  /// has any.
  identifier_taken taken = nullptr;
};

/// `ec::invalid_argument` for a shoulder that is none; `ec::store_failed` if
/// the file cannot be used, or another engine has it.
caf::expected<std::unique_ptr<minter>>
open_local_minter(const local_minter_options& options);

} // namespace depositd
