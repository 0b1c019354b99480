#pragma once

// What a deposit says of its journals, issues, articles, books and so on, and
// which of it holds for which DOI.

#include "adapters/processing/crossref/deposit_xml.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::crossref {

/// One thing of a deposit that may have a DOI, while it is being read.
struct deposited_thing {
  std::size_t depth = 0; ///< of its element
  std::string name;      ///< of its element
  doi_record facts;      ///< said in it, or handed up by its parts
  std::vector<citation_note> citations;
  std::vector<std::size_t> registered; ///< DOIs, by index in the deposit
};

/// Whether this element is a thing of its own (besides children of `body`).
bool is_thing(std::string_view element);

/// Whether the text of this element is a fact of the thing around it.
bool is_fact(std::string_view element, std::string_view parent);

/// Takes a fact down, cut to 1,000 bytes (titles) or 300; the first of several
/// counts.
void add_fact(std::string_view element, std::string value, doi_record& facts);

/// Completes the record of a DOI of `own`, which is inside `outer` things.
void describe(const deposited_thing& own,
              const std::vector<deposited_thing>& outer, doi_record& record);

/// Lets what a finished part says hold for its siblings, if it is a part that
/// describes the whole.
void hand_up(const deposited_thing& part, deposited_thing& whole);

} // namespace depositd::crossref
