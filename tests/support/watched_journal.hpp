#pragma once

// A journal store that tells what is done with it and may fail to read.

#include "tests/support/passing_journal.hpp"

namespace depositd::testing {

/// Another store, watched.
class watched_journal final : public passing_journal {
public:
  using passing_journal::passing_journal;

  std::vector<std::uint32_t> groups; ///< events in each

  /// A look at the world while an append is under way.
  std::function<void()> during_append = [] {};

  /// Called before a body is read; an error is the answer.
  std::function<caf::error(const body_location&)> before_body =
    [](const body_location&) { return caf::error{}; };

  /// Called before groups are read; an error is the answer.
  std::function<caf::error()> before_read = [] { return caf::error{}; };

  /// Called before a segment goes; an error is the answer.
  std::function<caf::error()> before_drop = [] { return caf::error{}; };

  bool full = false;
  /// Called before it is said whether there is room.
  std::function<bool()> ask_room = [this] { return full; };

  bool nearly_full() const override {
    return ask_room();
  }
  caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks) override {
    during_append();
    auto out = passing_journal::append(bytes, events, watermarks);
    if (out)
      groups.push_back(events);
    return out;
  }
  caf::error
  read(sequence from,
       const std::function<bool(const stored_group&)>& show) override {
    if (auto failed = before_read())
      return failed;
    return passing_journal::read(from, show);
  }
  caf::expected<std::string> read_body(const body_location& place) override {
    if (auto failed = before_body(place))
      return failed;
    return passing_journal::read_body(place);
  }
  caf::error drop(std::uint64_t number) override {
    if (auto failed = before_drop())
      return failed;
    return passing_journal::drop(number);
  }
};

} // namespace depositd::testing
