#pragma once

// Names inside bags.

#include <string>
#include <string_view>

namespace depositd::bagit {

inline constexpr std::size_t path_bytes_max = 4'096;

/// What everything below is the payload of a bag.
inline constexpr std::string_view payload_folder = "data/";

bool is_payload(std::string_view path);

/// Why a file of a bag must not have this name, empty if it may. Only what is
/// dangerous: absolute, climbing, not UTF-8, too long. What is merely odd
/// elsewhere (`payload_path_fault`) is a warning's matter.
std::string bag_path_fault(std::string_view path);

/// The same for what a manifest, or fetch.txt, lists; `payload`: it must be
/// below data/, or else must not.
std::string listed_path_fault(std::string_view path, bool payload);

/// A name for people: bytes that are not UTF-8 are written as "\xe9".
std::string shown_path(std::string_view path);

/// As manifests and fetch.txt write a name: CR, LF and (since 1.0) '%' as
/// "%0D", "%0A", "%25".
std::string encode_path(std::string_view path, bool percent_too = true);

/// The name that was meant. Other percents are left alone, as BagIt has it.
std::string decode_path(std::string_view written, bool percent_too = true);

/// Whether a path matches a pattern of a profile: '*' stands for any number of
/// characters, '?' for one; both for '/' as well.
bool matches_pattern(std::string_view pattern, std::string_view path);

/// Files that systems put into folders by themselves: Thumbs.db.
bool is_system_file(std::string_view path);

} // namespace depositd::bagit
