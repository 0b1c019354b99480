#pragma once

// An inventory of any kind, and what is recorded in it.

#include "messages/ports/inventory.hpp"
#include "messages/ports/lock_book.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Opens the same, at first empty, inventory again and again.
class inventory_driver {
public:
  virtual ~inventory_driver() = default;

  virtual std::unique_ptr<inventory> open() = 0;
};

struct inventory_candidate {
  std::string name;
  std::function<std::unique_ptr<inventory_driver>()> make;
};

/// A first version with two files.
inline inventory_entry an_entry(const std::string& identifier,
                                const std::string& job,
                                std::uint32_t number = 1) {
  return {.identifier = identifier,
          .collection = "maps",
          .owner = "ann",
          .local_ids = {},
          .storage = {"local"},
          .version = {.number = number,
                      .job = job,
                      .batch = "bid-1",
                      .user = "bob",
                      .title = "Über 100% of \\ " + identifier,
                      .creator = "Müller",
                      .date = "1999",
                      .bytes = 7,
                      .files = 2,
                      .recorded_us = 1'000},
          .files = {{"producer/A Map.tif", 4, std::string(128, 'a')},
                    {"system/mrt-erc.txt", 3, std::string(128, 'b')}}};
}

class inventory_suite : public ::testing::TestWithParam<inventory_candidate> {
protected:
  void SetUp() override {
    driver = GetParam().make();
    things = driver->open();
    ASSERT_NE(things, nullptr);
  }

  void record(const inventory_entry& x) {
    const auto failed = things->record(x);
    EXPECT_FALSE(failed) << render(failed);
  }

  /// Identifiers, joined by blanks.
  std::string find(const inventory_search& x) {
    const auto found = things->find(x);
    EXPECT_TRUE(found) << render(found.error());
    std::string out;
    if (found)
      for (const auto& one : *found)
        out += (out.empty() ? "" : " ") + one.identifier;
    return out;
  }

  inventory_object one(const std::string& identifier) {
    const auto found = things->find({.identifier = identifier});
    EXPECT_TRUE(found) << render(found.error());
    if (!found || found->size() != 1) {
      ADD_FAILURE() << identifier << " is not there once";
      return {};
    }
    return found->front();
  }

  bool lock(const object_lock& x, micros now = 100) {
    const auto done = things->lock(x, now);
    EXPECT_TRUE(done) << render(done.error());
    return done && *done;
  }

  bool holds(const object_lock& x, micros now = 100) {
    const auto done = things->holds(x, now);
    EXPECT_TRUE(done) << render(done.error());
    return done && *done;
  }

  std::unique_ptr<inventory_driver> driver;
  std::unique_ptr<inventory> things;
};

} // namespace depositd
