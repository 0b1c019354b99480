#pragma once

// The larger kinds of change, each in a source of its own. All of them read
// their arguments and decide on the state as it is now.

#include "actors/operators/changes.hpp"

namespace depositd::operators {

inline caf::error refuse(ec code, std::string text) {
  return caf::make_error(code, std::move(text));
}

caf::expected<admin_change> add_account(admin_arguments& in,
                                        const control_state& now);
caf::expected<admin_change> set_password(admin_arguments& in,
                                         const control_state& now);
caf::expected<admin_change> remove_account(admin_arguments& in,
                                           const control_state& now);

/// Refuses a name that is there unless the argument `replace` says otherwise.
caf::expected<admin_change> add_key(admin_arguments& in,
                                    const control_state& now);
caf::expected<admin_change> remove_key(admin_arguments& in,
                                       const control_state& now);

/// `add`: it must be new; otherwise it must exist.
caf::expected<admin_change> put_processor(admin_arguments& in,
                                          const control_state& now, bool add);
caf::expected<admin_change> stop_processor(admin_arguments& in,
                                           const control_state& now);

} // namespace depositd::operators
