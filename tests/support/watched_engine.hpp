#pragma once

// A fixture of an engine whose log is watched.

#include "tests/support/engine_fixture.hpp"
#include "tests/support/watched_journal.hpp"

#include <memory>

namespace depositd::testing {

/// `Fixture` is an `engine_fixture`.
template <class Fixture>
class watching : public Fixture {
protected:
  std::unique_ptr<journal_store> open_journal() override {
    auto out = std::make_unique<watched_journal>(Fixture::open_journal());
    disk = out.get();
    return out;
  }

  watched_journal* disk = nullptr; ///< of the last start; the store's own
};

} // namespace depositd::testing
