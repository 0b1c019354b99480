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

TEST(sqlite_inventory_file, is_copied_while_it_is_used) {
  const temporary_folder folder;
  const auto path = folder.path() / "inventory.sqlite";
  const auto used = open_sqlite_inventory(path);
  ASSERT_TRUE(used);
  ASSERT_FALSE((*used)->bind_local_id("ann", "a", "ark:/1/a"));
  const auto copy = folder.path() / "copy";
  std::filesystem::create_directory(copy);
  const auto failure = (*used)->backup(copy);
  ASSERT_FALSE(failure) << render(failure);
  ASSERT_FALSE((*used)->bind_local_id("ann", "b", "ark:/1/b"));
  const auto copied = open_sqlite_inventory(copy / "inventory.db");
  ASSERT_TRUE(copied) << render(copied.error());
  EXPECT_EQ(**(*copied)->of_local_id("ann", "a"), "ark:/1/a");
  EXPECT_FALSE(*(*copied)->of_local_id("ann", "b"));
  EXPECT_EQ((*used)->backup(copy), ec::already_exists);
}

} // namespace depositd
