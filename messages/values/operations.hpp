#pragma once

// What depositors can ask for, and through which doors: one table for whoever
// takes a deposit or works on one.

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace depositd {

/// What is done with a submission.
enum class submission_kind : std::uint8_t {
  metadata,  ///< its DOIs are recorded
  query,     ///< its DOIs are looked up
  citations, ///< what its DOIs cite is recorded
  transfer,  ///< other prefixes hold its DOIs from now on
};

/// Crossref's word for what a depositor wants.
struct operation {
  std::string_view word;
  submission_kind kind;
  std::string_view queue; ///< of kind deposit
};

/// The first is meant where none is named; the first of a queue, where only the
/// queue is.
inline constexpr std::array operations{
  operation{"doMDUpload", submission_kind::metadata, "metadata"},
  operation{"doXSDMDUpload", submission_kind::metadata, "metadata"},
  operation{"doDOICitUpload", submission_kind::citations, "metadata"},
  operation{"doTransferDOIsUpload", submission_kind::transfer, "metadata"},
  operation{"doQueryUpload", submission_kind::query, "query"},
  operation{"doDOIQueryUpload", submission_kind::query, "query"},
};

inline constexpr const operation& default_operation = operations.front();

/// Null if nobody knows the word.
constexpr const operation* find_operation(std::string_view word) noexcept {
  for (const auto& x : operations)
    if (x.word == word)
      return &x;
  return nullptr;
}

/// The same where it need not be named.
constexpr const operation*
find_operation_or_default(std::string_view word) noexcept {
  return word.empty() ? &default_operation : find_operation(word);
}

/// What deposits for this queue want, unless they say.
constexpr const operation& operation_of_queue(std::string_view queue) noexcept {
  for (const auto& x : operations)
    if (x.queue == queue)
      return x;
  return default_operation;
}

/// All words, for those who are told what they could have said.
inline std::string operation_words() {
  std::string out;
  for (const auto& x : operations)
    out.append(out.empty() ? "" : ", ").append(x.word);
  return out;
}

/// Where deposits that are over wait until somebody has been told: a queue of
/// kind outbox.
inline constexpr const char* notify_queue = "crossref.notify";

/// The door that a submission has come through.
struct submission_source {
  const char* name; ///< as the read model keeps it
  /// Only users with an account get in. Users of other doors may have none, and
  /// then deposit what they like.
  bool needs_account = false;
  /// Processed at once: who takes it in has claimed it when it comes.
  bool synchronous = false;
  bool told = false; ///< depositors hear what became of it by mail or callback
  /// What was sent is kept as long as the outcome, also if it came with its
  /// item. Who writes records has them.
  bool kept = false;
};

inline constexpr submission_source source_http{"http", true, false, true,
                                               true};
inline constexpr submission_source source_v2{"v2", true, true, false,
                                             true};
inline constexpr submission_source source_drop{"drop", false, false, true};
inline constexpr submission_source source_shell{"shell", false, false, true};
inline constexpr submission_source source_kafka{"kafka"};

/// Of the name that the read model keeps; one of no door if it knows none.
constexpr submission_source find_source(std::string_view name) noexcept {
  for (const auto& x :
       {source_http, source_v2, source_drop, source_shell, source_kafka})
    if (x.name == name)
      return x;
  return {""};
}

/// So long has a synchronous door for a deposit; then its queue has it.
inline constexpr std::chrono::minutes at_once_max{10};

/// Whether what was sent, which came with its item, is kept with the outcome.
constexpr bool keeps_contents(std::string_view source) noexcept {
  return find_source(source).kept;
}

/// Whether only users with an account can have sent it.
constexpr bool needs_account(std::string_view source) noexcept {
  return find_source(source).needs_account;
}

} // namespace depositd
