#pragma once

// What a deposit of citations says (doDOICitUpload): a `doi_batch` of
// Crossref's schema for resources, with `doi_citations` in its body.

#include "adapters/processing/crossref/diagnostic.hpp"
#include "adapters/processing/crossref/xml_limits.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <vector>

namespace depositd::crossref {

/// Kept of the citations of one DOI, as JSON.
inline constexpr std::size_t citations_bytes_max = 400 * 1024;

/// A DOI that is recorded already, and what it cites.
struct citing_doi {
  std::string doi;
  std::vector<citation_note> citations; ///< `citations_max` of a deposit
  std::string kept;                     ///< JSON: key, doi and text of each
  std::string problem; ///< why it cannot be recorded; empty: it can
};

struct citation_deposit {
  std::string batch_id;
  std::string email;            ///< of the depositor, as written
  std::vector<citing_doi> dois; ///< each once, compared without case
};

/// Reads such a document in UTF-8. Errors say where and which rule is broken;
/// `out` holds what came before.
caf::error parse_citations(const std::string& text, const xml_limits& limits,
                           citation_deposit& out);

} // namespace depositd::crossref
