#pragma once

// What an upload of transfers says (doTransferDOIsUpload): lines, of which the
// first is "H: email=a@b.org;fromPrefix=10.1111;toPrefix=10.2222", and each
// other one a DOI or a DOI, a tab and its new URL.

#include "adapters/processing/crossref/xml_limits.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd::crossref {

struct transferred_doi {
  std::string doi;
  std::string resource; ///< empty: as it was
  std::string problem;  ///< why the line says nothing; empty: it does
};

struct transfer {
  std::string email;                 ///< as written
  std::string from;                  ///< prefixes
  std::string to;                    ///< the same as `from`: only URLs change
  std::vector<transferred_doi> dois; ///< each once, compared without case
};

/// Errors say in which line; `out` holds what came before.
caf::error parse_transfer(std::string_view bytes, const xml_limits& limits,
                          transfer& out);

} // namespace depositd::crossref
