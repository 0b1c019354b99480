#pragma once

// What a query upload asks for: piped lines, or a `query_batch` document.

#include "adapters/processing/crossref/xml_limits.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd::crossref {

inline constexpr std::size_t queries_max = 10'000; ///< of one upload

/// One query: what must match. With a DOI it asks for its metadata.
struct lookup {
  std::string key; ///< the client's; empty: none
  doi_query wanted;
  std::string article_title; ///< compared after the search
  std::string problem;       ///< why it cannot be asked; empty: it can
};

struct query_batch {
  std::string batch_id;
  std::string email; ///< of who asks, as written
  std::vector<lookup> lookups;
};

/// Reads an upload; a document if its first character is `<`. `as_dois` takes
/// lines for DOI or KEY|DOI, as doDOIQueryUpload does. Errors say where; `out`
/// holds what came before.
caf::error parse_queries(std::string_view bytes, bool as_dois,
                         const xml_limits& limits, query_batch& out);

} // namespace depositd::crossref
