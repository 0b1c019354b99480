#pragma once

// Processes query uploads: looks each query up in what was recorded here and
// answers resolved or unresolved, in a document of the form of a diagnostic.

#include "adapters/processing/crossref/metadata_handler.hpp"
#include "adapters/processing/crossref/query_xml.hpp"
#include "messages/ports/doi_registry.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

namespace depositd::crossref {

/// So long an upload is looked up: each query may have very many candidates.
/// What is left then is answered as not looked up.
inline constexpr std::chrono::seconds looking_max{10};

/// Everything here may be called from any thread and blocks.
struct query_handler {
  using clock = std::chrono::steady_clock;

  std::shared_ptr<doi_registry> registry;
  xml_limits limits = {};
  std::function<clock::time_point()> now = clock::now;

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
