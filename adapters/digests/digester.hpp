#pragma once

// Digests of bytes as they come.

#include "messages/values/digests.hpp"

#include <memory>
#include <string_view>

namespace depositd {

/// Takes bytes in pieces. Not for several threads.
class digester {
public:
  explicit digester(digest_algorithm algorithm);

  digester(digester&&) noexcept;
  digester& operator=(digester&&) noexcept;
  ~digester();

  void add(std::string_view bytes);

  /// Of what was added so far; nothing may be added before a restart.
  digest finish();

  /// Begins anew, cheaper than another one would.
  void restart();

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace depositd
