#include "tests/contract/projection_store_suite.hpp"

#include "adapters/stores/sqlite/sqlite_projection_store.hpp"
#include "tests/support/memory_tables.hpp"
#include "tests/support/temporary_folder.hpp"

namespace depositd {

namespace {

class memory_driver final : public projection_driver {
public:
  std::unique_ptr<projection_store> open() override {
    return make_memory_projection();
  }
};

class sqlite_driver final : public projection_driver {
public:
  std::unique_ptr<projection_store> open() override {
    auto out = open_sqlite_projection(folder_.path() / "projection.db");
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  temporary_folder folder_;
};

/// Whatever waits is in pages, of one queue and priority each.
class paged_driver final : public projection_driver {
public:
  std::unique_ptr<projection_store> open() override {
    auto out = open_sqlite_projection(
      ":memory:", {.pages = {.items_min = 1, .items_max = 2, .lanes_max = 1}});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }
};

template <class Driver>
projection_candidate candidate(std::string name) {
  return {std::move(name), [] { return std::make_unique<Driver>(); }};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(all, projection_store_suite,
                         ::testing::Values(candidate<memory_driver>("memory"),
                                           candidate<sqlite_driver>("sqlite"),
                                           candidate<paged_driver>("paged")),
                         [](const auto& x) { return x.param.name; });

INSTANTIATE_TEST_SUITE_P(all, projection_records_suite,
                         ::testing::Values(candidate<memory_driver>("memory"),
                                           candidate<sqlite_driver>("sqlite")),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
