#pragma once

// Port: new identifiers of objects. Adapters: adapters/minters.

#include "messages/values/errors.hpp"
#include "messages/values/fields.hpp"
#include "messages/values/types.hpp"

#include <filesystem>
#include <string>

namespace depositd {

/// What a new identifier is for.
struct mint_request {
  /// Of the job: a minter that can answers the same key with the same
  /// identifier, so that a repeat after a crash makes no second one.
  std::string key;
  std::string who;
  std::string what;
  std::string when;
  std::string target; ///< where the object can be seen; may be empty
};
DEPOSITD_FIELDS(mint_request, key, who, what, when, target);

/// May be called from any thread; blocks. Errors: `ec::invalid_argument` for
/// what will never be minted, `ec::wrong_credentials`, `ec::malformed` for an
/// answer that is no identifier, `ec::overloaded` for what may pass,
/// `ec::store_failed` and `ec::store_damaged` of the local one.
class minter {
public:
  virtual ~minter() = default;

  /// An ARK, "ark:/99999/fk4...", that nobody was given before.
  virtual caf::expected<std::string> mint(const mint_request& x) = 0;

  /// Copies what was given into a new file of the folder, which is there, while
  /// others go on; nothing is copied where a service knows it.
  virtual caf::error backup(const std::filesystem::path& folder) {
    static_cast<void>(folder);
    return {};
  }
};

} // namespace depositd
