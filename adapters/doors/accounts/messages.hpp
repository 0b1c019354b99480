#pragma once

// What doors for people with accounts tell the threads that do for them what
// blocks. All of it stays in the process.

#include "messages/actors.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace depositd::accounts {

/// Checks a password. An empty hash (no such user) takes as long as any.
struct check_login {
  std::string hash;
  std::string password;
};

struct login_checked {
  bool right = false;
};

struct keep_blob {
  std::shared_ptr<const void> owner; ///< of the bytes
  std::string_view bytes;
};

struct blob_kept {
  std::string sha256;
};

struct fetch_blob {
  std::string sha256;
};

struct blob_fetched {
  std::string bytes;
};

/// Does for a door what blocks: a thread of its own.
using worker_actor =
  caf::typed_actor<caf::replies_to<check_login>::with<login_checked>,
                   caf::replies_to<keep_blob>::with<blob_kept>,
                   caf::replies_to<fetch_blob>::with<blob_fetched>>;

} // namespace depositd::accounts

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::accounts::check_login)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::accounts::login_checked)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::accounts::keep_blob)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::accounts::blob_kept)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::accounts::fetch_blob)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::accounts::blob_fetched)
