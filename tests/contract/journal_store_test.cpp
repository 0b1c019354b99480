#include "tests/contract/journal_store_suite.hpp"

#include "adapters/stores/memory/memory_journal_store.hpp"
#include "adapters/stores/segments/segments.hpp"
#include "tests/support/temporary_folder.hpp"

namespace depositd {

namespace {

class memory_driver final : public journal_driver {
public:
  std::unique_ptr<journal_store> open() override {
    return open_memory_journal(log_);
  }

private:
  std::shared_ptr<memory_journal> log_ =
    make_memory_journal({.segment_bytes = 20 * 1024});
};

class segments_driver final : public journal_driver {
public:
  std::unique_ptr<journal_store> open() override {
    auto out = open_segments({.folder = folder_.path() / "journal",
                              .segment_bytes = 24 * 1024,
                              .spares_max = 2});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  temporary_folder folder_;
};

template <class Driver>
journal_candidate candidate(std::string name) {
  return {std::move(name), [] { return std::make_unique<Driver>(); }};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(
  all, journal_store_suite,
  ::testing::Values(candidate<memory_driver>("memory"),
                    candidate<segments_driver>("segments")),
  [](const auto& x) { return x.param.name; });

TEST(memory_journal, fences_stores_that_were_opened_before) {
  const auto log = make_memory_journal();
  const auto first = open_memory_journal(log);
  EXPECT_TRUE(first->append("a", 1, {}));
  const auto second = open_memory_journal(log);
  EXPECT_EQ(first->append("b", 1, {}).error(), ec::fenced);
  EXPECT_EQ(second->last(), 1u);
  EXPECT_TRUE(second->append("c", 1, {}));
  EXPECT_EQ(second->last(), 2u);
}

TEST(memory_journal, fails_appends_when_it_is_told_to) {
  const auto log = make_memory_journal();
  const auto store = open_memory_journal(log);
  fail_appends(*log, 1);
  EXPECT_EQ(store->append("a", 1, {}).error(), ec::store_failed);
  EXPECT_EQ(store->last(), 0u);
  EXPECT_TRUE(store->append("b", 1, {}));
  EXPECT_EQ(store->last(), 1u);
}

} // namespace depositd
