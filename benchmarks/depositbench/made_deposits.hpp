#pragma once

// Deposits of Crossref's kind, for the doors that take them.

#include <cstddef>
#include <string>

namespace depositd::bench {

/// Names a deposit, its file and its DOI; no two runs share one.
std::string next_deposit_name();

/// Deposit XML of that name with one DOI, filled up to so many bytes.
std::string deposit_xml(const std::string& name, std::size_t bytes);

} // namespace depositd::bench
