#pragma once

// What a metadata deposit says: its batch, and every DOI it registers. DOIs
// that it only cites, relates to or mentions are not registered by it.

#include "adapters/processing/crossref/diagnostic.hpp"
#include "adapters/processing/crossref/xml_limits.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <vector>

namespace depositd::crossref {

inline constexpr std::size_t dois_max = 10'000;     ///< of one deposit
inline constexpr std::size_t citations_max = 5'000; ///< answered per deposit

/// One DOI that a deposit registers. `record.owner` is left empty.
struct deposited_doi {
  doi_record record;
  std::vector<citation_note> citations;
};

/// A deposit as far as it could be read.
struct deposit {
  std::string batch_id;
  std::string timestamp;           ///< of the head; digits, or empty
  std::string email;               ///< of the depositor, as written
  std::string version;             ///< of the schema, e.g. "5.3.1"
  std::vector<deposited_doi> dois; ///< each once, compared without case
};

/// Reads a `doi_batch` in UTF-8 (see `decode_xml_text`). Errors say where and
/// which rule is broken; `out` holds what came before, above all the batch id.
caf::error parse_deposit(const std::string& text, const xml_limits& limits,
                         deposit& out);

} // namespace depositd::crossref
