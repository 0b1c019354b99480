#pragma once

// The audit log's files, read from their end.

#include "messages/ports/audit_book.hpp"

#include <filesystem>

namespace depositd {

/// How much one page reads at most, whatever it finds.
inline constexpr std::size_t audit_page_bytes = std::size_t{4} << 20;

class audit_lines final : public audit_book {
public:
  /// The folder of an `audit_folder`; it need not be there.
  explicit audit_lines(std::filesystem::path folder);

  caf::expected<audit_page> read(const audit_range& where) const override;

private:
  std::filesystem::path folder_;
};

} // namespace depositd
