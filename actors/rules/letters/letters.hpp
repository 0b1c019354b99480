#pragma once

// Dead letters: how they are called, where pages end, which may go back.

#include "messages/values/errors.hpp"
#include "messages/values/letters.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::rules {

/// Where a letter is.
struct letter_place {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

/// A letter's id: "PARTITION-OFFSET".
std::string text_of(const letter_place& x);

/// The reverse; none if it is no id.
std::optional<letter_place> read_place(std::string_view text);

/// An offset for each partition.
using letter_bounds = std::map<std::int32_t, std::int64_t>;

/// Ids with commas between them.
std::string text_of(const letter_bounds& x);

/// The reverse. `ec::invalid_argument`
caf::expected<letter_bounds> read_bounds(std::string_view text);

/// Offsets in [low, high).
struct letter_range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// What each partition holds.
using letter_ranges = std::map<std::int32_t, letter_range>;

/// What has to be read: [first, second) of each partition.
using letter_span = std::pair<letter_bounds, letter_bounds>;

/// Of letters with these ids, and what is between them. `ec::invalid_argument`
/// if one is no id, `ec::not_found` if nothing is there (any more).
caf::expected<letter_span> span_of(const std::vector<std::string>& ids,
                                   const letter_ranges& all);

caf::error no_letter(const std::string& id);

/// Whether it may be written to the topic again, which is the only one that
/// letters go back to, whatever they say. `ec::not_allowed`
caf::error check_return(const letter& x, const std::string& topic);

} // namespace depositd::rules
