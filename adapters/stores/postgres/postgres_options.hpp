#pragma once

#include <cstdint>
#include <string>

namespace depositd {

struct postgres_options {
  /// As libpq takes it: "postgresql://user@host/name?sslmode=verify-full".
  /// Everything is kept in the schema that its search path names first.
  std::string url;

  std::uint32_t shard = 0;

  /// How long the server may be away before a call fails.
  std::uint32_t patience_ms = 15'000;
};

} // namespace depositd
