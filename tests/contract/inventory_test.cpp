#include "tests/contract/fixity_suite.hpp"
#include "tests/contract/inventory_suite.hpp"

#include "adapters/stores/sqlite/sqlite_inventory.hpp"
#include "tests/support/temporary_folder.hpp"

namespace depositd {

namespace {

class sqlite_driver final : public inventory_driver {
public:
  std::unique_ptr<inventory> open() override {
    auto out = open_sqlite_inventory(folder_.path() / "inventory.sqlite");
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  temporary_folder folder_;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(all, inventory_suite,
                         ::testing::Values(inventory_candidate{
                           "sqlite",
                           [] { return std::make_unique<sqlite_driver>(); }}),
                         [](const auto& x) { return x.param.name; });

INSTANTIATE_TEST_SUITE_P(all, fixity_suite,
                         ::testing::Values(inventory_candidate{
                           "sqlite",
                           [] { return std::make_unique<sqlite_driver>(); }}),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
