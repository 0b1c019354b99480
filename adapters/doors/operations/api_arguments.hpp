#pragma once

// What a request says of a command, as the engine takes it.

#include "adapters/doors/http/text.hpp"
#include "messages/values/command_table.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace depositd {

struct api_arguments {
  nlohmann::json object = nlohmann::json::object();
  bool yes = false; ///< the question of the command is answered
};

/// What an argument is called in a request: a password or a key is given as it
/// is, though only what is made of it goes on.
std::string public_name(const argument_spec& x);

/// Lists are repeated, or separated by commas. `ec::malformed` for what is no
/// UTF-8, `ec::invalid_argument` for values that cannot be read; of all else
/// that is wrong the command says it.
caf::expected<api_arguments> arguments_in_query(const command_spec& row,
                                                const http::parameters& query,
                                                micros now);

/// The same of a JSON object; an empty text is an empty one. Times may be
/// texts, too.
caf::expected<api_arguments>
arguments_in_body(const command_spec& row, const std::string& body, micros now);

} // namespace depositd
