#pragma once

// The JSON arguments of an operator's command, read with care: whoever reaches
// the node port may send anything.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace depositd::operators {

/// A limit as an operator gives it.
struct limit_given {
  bool is_default = false; ///< "default": what the queue says
  std::uint32_t value = 0; ///< `no_cap` for "none"
};

/// Typed access to the arguments. The first thing that is wrong is kept until
/// `finish`; until then readers return harmless values.
class admin_arguments {
public:
  /// `ec::malformed` if the text is no JSON object, `ec::too_large` beyond
  /// `arguments_bytes_max`.
  static caf::expected<admin_arguments> parse(const std::string& text);

  bool has(const char* key) const;

  /// A text that must be there and not be empty.
  std::string text(const char* key);
  std::string text_or(const char* key, const char* fallback);
  std::int64_t number(const char* key, std::int64_t min, std::int64_t max);
  std::int64_t number_or(const char* key, std::int64_t min, std::int64_t max,
                         std::int64_t fallback);
  bool flag(const char* key);

  /// A list of texts; nothing there is an empty list.
  std::vector<std::string> texts(const char* key);

  /// Nothing there is nothing. "default" only where `with_default`.
  std::optional<limit_given> limit(const char* key, bool with_default);

  /// A legal user name that must be there; a list of at least one.
  std::string user(const char* key);
  std::vector<std::string> users(const char* key);

  /// The first problem, `ec::invalid_argument`; a key nobody asked for is one.
  caf::error finish() const;

  /// For the audit line: one line of ASCII without secrets and contents.
  std::string redacted() const;

private:
  const nlohmann::json* find(const char* key);
  void refuse(const char* key, const std::string& wanted);

  nlohmann::json object_;
  std::set<std::string> asked_;
  std::string problem_;
};

inline constexpr std::size_t arguments_bytes_max = 16 * 1024 * 1024;

/// How many users one command may name.
inline constexpr std::size_t command_users_max = 10'000;

} // namespace depositd::operators
