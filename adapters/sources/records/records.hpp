#pragma once

// How records are made of what sources hold: which field is the key, which the
// user, and what is wrong with those that have none.

#include "adapters/logs/kafka/kafka_options.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/sources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::sources {

/// How records are made of what one source reads.
struct record_rules {
  std::string name;       ///< of the source: the user, where no field names one
  std::string key;        ///< field of the body; empty: the default of the kind
  std::string user_field; ///< field of the body; empty: none
  std::uint64_t body_bytes_max = 0;
};

record_rules rules_of(const std::string& name, const source_settings& x,
                      std::uint64_t body_bytes_max);

/// What a reader needs beside its settings.
struct reader_context {
  std::uint64_t body_bytes_max = 0; ///< larger ones are bad records
  /// Of the log: its TLS and SASL count for every source, its brokers for those
  /// that name none (then they may not be empty).
  kafka_options kafka;
  std::string ca_file; ///< PEM; empty: the system's
};

/// Adds a record, or what is wrong with it to `to.bad`. `body`: JSON text; it
/// is kept without the blanks between its tokens. `key`: of the kind, counts
/// unless `by.key` names a field; `cursor`: where to go on behind it.
///
/// Keys and users that are fields: of a JSON object, texts as they are and
/// numbers as they are written there; the last one of a name counts. Without
/// one, or with null, a boolean, an array or an object in its place, a record
/// is bad.
void add_record(pulled_batch& to, const record_rules& by, std::string key,
                std::string body, std::string cursor = {});

/// The same for a body that must be a JSON object and has the key as its field
/// `by.key`.
void add_object(pulled_batch& to, const record_rules& by, std::string body,
                std::string cursor = {});

/// The same for one that says itself where to go on behind it, by its field
/// `cursor_field`, a text or a number. Returns that, for a bad record as well;
/// nothing if it has none.
std::optional<std::string> add_marked_object(pulled_batch& to,
                                             const record_rules& by,
                                             std::string body,
                                             std::string_view cursor_field);

/// Adds what cannot be a record. What is no UTF-8 is replaced in key and body.
void add_bad(pulled_batch& to, std::string_view key, std::string reason,
             std::string_view body = {});

/// A message as a body: itself if it is JSON, without the blanks between its
/// tokens, else as a JSON string. `ec::malformed`: not UTF-8.
caf::expected<std::string> body_of_message(std::string_view text);

/// The text with U+FFFD in place of every byte that is no UTF-8.
std::string readable(std::string_view text);

} // namespace depositd::sources
