#pragma once

// Where a client of a door waits, without a connection.

#include "adapters/doors/http/responder.hpp"

namespace depositd::testing {

/// Keeps what it is answered last.
struct kept_answer final : http::answer_sink {
  bool answer(http::response what) override {
    got = std::move(what);
    return true;
  }
  void pass() override {
    passed = true;
  }
  bool hold(std::uint64_t) override {
    return true;
  }

  http::response got;
  bool passed = false; ///< on to who comes behind
};

} // namespace depositd::testing
