#pragma once

// The last letter of an identifier, made of the others: one that was mistyped,
// or two that changed places, are noticed (NOID's algorithm).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace depositd {

/// Digits and letters that are not taken for each other, nor make words.
inline constexpr std::string_view minted_letters =
  "0123456789bcdfghjkmnpqrstvwxz";

/// Of what follows "ark:/", "13030/xf93gt2" for example.
char check_character(std::string_view identifier);

/// The number in these letters, at least so many of them.
std::string minted_name(std::uint64_t number, std::size_t letters_min);

/// Which number it was; nothing if it has other letters, or far too many.
std::optional<std::uint64_t> minted_number(std::string_view name);

} // namespace depositd
