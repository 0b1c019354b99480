#pragma once

// Processes query uploads: looks each query up in what was recorded here and
// answers resolved or unresolved, in a document of the form of a diagnostic.

#include "adapters/processing/crossref/metadata_handler.hpp"
#include "adapters/processing/crossref/query_xml.hpp"
#include "messages/ports/doi_registry.hpp"

#include <memory>
#include <string_view>

namespace depositd::crossref {

/// Everything here may be called from any thread and blocks.
struct query_handler {
  std::shared_ptr<doi_registry> registry;
  xml_limits limits = {};

  /// `done` with the answers, `failed` if the file is bad or no query of it
  /// can be asked, `retry` if the registry failed. `as_dois` as in
  /// `parse_queries`.
  outcome handle(const submission_job& job, std::string_view bytes,
                 bool as_dois) const;

private:
  outcome answer(const submission_job& job, const query_batch& batch) const;
};

/// What was recorded that answers a query. Tried in turn: everything as asked;
/// the title as an abbreviation; the title alone for an ISSN that differs, as
/// print and online editions do.
caf::expected<std::vector<doi_record>> resolve(doi_registry& registry,
                                               const lookup& x);

/// Whether the words of `brief` are beginnings of words of `full`, in order
/// and beginning with the first ("Biol J Linn Soc"), without case and dots.
bool abbreviates(std::string_view brief, std::string_view full);

} // namespace depositd::crossref
