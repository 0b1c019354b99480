#pragma once

// A journal store that tells what is done with it and may fail to read.

#include "messages/ports/journal_store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Another store, watched.
class watched_journal final : public journal_store {
public:
  explicit watched_journal(std::unique_ptr<journal_store> store)
    : store_(std::move(store)) {
    // nop
  }

  std::vector<std::uint32_t> groups; ///< events in each

  /// A look at the world while an append is under way.
  std::function<void()> during_append = [] {};

  /// Called before a body is read; an error is the answer.
  std::function<caf::error(const body_location&)> before_body =
    [](const body_location&) { return caf::error{}; };

  epoch_number epoch() const override {
    return store_->epoch();
  }
  sequence last() const override {
    return store_->last();
  }
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
    auto out = store_->append(bytes, events, watermarks);
    if (out)
      groups.push_back(events);
    return out;
  }
  caf::error
  read(sequence from,
       const std::function<bool(const stored_group&)>& show) override {
    return store_->read(from, show);
  }
  caf::expected<std::string> read_body(const body_location& place) override {
    if (auto failed = before_body(place))
      return failed;
    return store_->read_body(place);
  }
  std::vector<watermark> watermarks() override {
    return store_->watermarks();
  }
  std::vector<segment> segments() override {
    return store_->segments();
  }
  caf::error drop(std::uint64_t number) override {
    return store_->drop(number);
  }
  std::uint64_t disk_bytes() override {
    return store_->disk_bytes();
  }
  caf::error backup(const std::filesystem::path& folder) override {
    return store_->backup(folder);
  }

private:
  std::unique_ptr<journal_store> store_;
};

} // namespace depositd::testing
