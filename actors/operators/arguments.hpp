#pragma once

// The JSON arguments of an operator's command, read with care: whoever reaches
// the node port may send anything.

#include "messages/values/command_table.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace depositd::operators {

/// A limit as an operator gives it.
struct limit_given {
  bool is_default = false; ///< "default": what the queue says
  std::uint32_t value = 0; ///< `no_cap` for "none"
};

/// The same of bytes; `no_size_limit` for "none".
struct bytes_given {
  bool is_default = false;
  std::uint64_t value = 0;
};

/// Arguments that have been held against their command's row once `check` has
/// said nothing: readers then find what the row promises, and harmless values
/// for what was not given.
class admin_arguments {
public:
  /// `ec::malformed` if the text is no JSON object, `ec::too_large` beyond
  /// `arguments_bytes_max`.
  static caf::expected<admin_arguments> parse(const std::string& text);

  /// The first thing that is wrong, `ec::invalid_argument`; an argument that
  /// the row does not know is. Adds what the row says of those not given.
  caf::error check(const command_spec& row);

  bool has(const char* key) const {
    return find(key) != nullptr;
  }

  std::string text(const char* key) const {
    return value<std::string>(key);
  }

  std::int64_t number(const char* key) const {
    return value<std::int64_t>(key);
  }

  bool flag(const char* key) const {
    return value<bool>(key);
  }

  std::vector<std::string> texts(const char* key) const {
    return value<std::vector<std::string>>(key);
  }

  std::optional<limit_given> limit(const char* key) const;
  std::optional<bytes_given> bytes(const char* key) const;

  /// Gives an argument that was not given.
  void put(const std::string& key, nlohmann::json value);

  /// When the command came.
  micros came_us() const {
    return came_us_;
  }

  void came(micros at_us) {
    came_us_ = at_us;
  }

  /// Changes `to` if a number or a limit is given.
  void take(const char* key, std::uint32_t& to) const;

  /// For the audit line: one line of ASCII, without what the row says is
  /// secret or the content of a file.
  std::string redacted(const command_spec& row) const;

private:
  const nlohmann::json* find(const std::string& key) const;

  template <class T>
  T value(const char* key) const {
    const auto found = find(key);
    return found ? found->get<T>() : T{};
  }

  nlohmann::json object_;
  micros came_us_ = never;
};

inline constexpr std::size_t arguments_bytes_max = 16 * 1024 * 1024;

/// How many users one command may name.
inline constexpr std::size_t command_users_max = 10'000;

} // namespace depositd::operators
