#include "tests/contract/doi_registry_suite.hpp"

#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"
#include "tests/support/memory_tables.hpp"
#include "tests/support/temporary_folder.hpp"

namespace depositd {

namespace {

class memory_driver final : public registry_driver {
public:
  std::unique_ptr<doi_registry> open() override {
    return make_memory_registry();
  }
};

class sqlite_driver final : public registry_driver {
public:
  std::unique_ptr<doi_registry> open() override {
    auto out = open_sqlite_registry(folder_.path() / "registry.db");
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  temporary_folder folder_;
};

template <class Driver>
registry_candidate candidate(std::string name) {
  return {std::move(name), [] { return std::make_unique<Driver>(); }};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(all, doi_registry_suite,
                         ::testing::Values(candidate<memory_driver>("memory"),
                                           candidate<sqlite_driver>("sqlite")),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
