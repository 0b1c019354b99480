#pragma once

// The documents that tell what became of a submission: `doi_batch_diagnostic`,
// with `status` as the first attribute because clients search for it there.

#include "messages/values/rows.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::crossref {

enum class record_status : std::uint8_t { success, warning, failure };

/// What became of one reference of a record.
struct citation_note {
  std::string key;
  std::string status; ///< stored_query, resolved_reference
  std::string doi;    ///< empty: none known
};

/// What became of one DOI, or of the whole file if `doi` is empty.
struct record_note {
  record_status status = record_status::success;
  std::string doi;
  std::string message;
  std::string message_id; ///< empty: none; "4": timestamp too low
  std::vector<citation_note> citations;
};

/// What became of a processed file.
struct diagnostic {
  item_id submission = 0;
  std::string processor; ///< attribute `sp`; empty: left out
  std::string batch_id;
  std::vector<record_note> records;
};

struct diagnostic_counts {
  std::uint64_t records = 0;
  std::uint64_t success = 0;
  std::uint64_t warning = 0;
  std::uint64_t failure = 0;
};

/// Counts the records by status.
diagnostic_counts count(const diagnostic& x);

/// The document of a processed file, status `completed`.
std::string write_completed(const diagnostic& x);

/// The document up to its records, and from behind them, for documents with
/// records of another kind.
std::string write_head(const diagnostic& x);
std::string write_tail(const diagnostic_counts& counts);

/// `<name>text</name>`, or `<name />` if the text is empty.
std::string write_element(std::string_view name, std::string_view text);

/// A file that is bad as a whole: one failed record without a DOI.
diagnostic whole_file_failed(item_id submission, std::string processor,
                             std::string batch_id, std::string reason);

/// For a name that nobody has deposited.
std::string diagnostic_unknown();

/// For this row, whatever its status: the stored document of a completed one,
/// or one made from its reason if it ended without.
std::string diagnostic_of(const submission_row& row);

/// The text as XML character data or attribute value; what XML 1.0 cannot hold
/// (control characters, bytes that are not UTF-8) becomes U+FFFD.
std::string escape_xml(std::string_view text);

} // namespace depositd::crossref
