// The stores in PostgreSQL under the contracts that all stores obey.

#include "adapters/stores/postgres/postgres_blobs.hpp"
#include "adapters/stores/postgres/postgres_doi_registry.hpp"
#include "adapters/stores/postgres/postgres_inventory.hpp"
#include "adapters/stores/postgres/postgres_journal_store.hpp"
#include "adapters/stores/postgres/postgres_projection_store.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "tests/contract/blob_store_suite.hpp"
#include "tests/contract/doi_registry_suite.hpp"
#include "tests/contract/fixity_suite.hpp"
#include "tests/contract/inventory_suite.hpp"
#include "tests/contract/journal_store_suite.hpp"
#include "tests/contract/projection_store_suite.hpp"
#include "tests/contract/shard_leases_suite.hpp"
#include "tests/support/postgres_schema.hpp"

namespace depositd {

namespace {

class postgres_journal_driver final : public journal_driver {
public:
  std::unique_ptr<journal_store> open() override {
    auto out = open_postgres_journal(
      {.server = {.url = schema_.url()}, .segment_bytes = 20 * 1024});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  postgres_schema schema_;
};

class postgres_projection_driver final : public projection_driver {
public:
  std::unique_ptr<projection_store> open() override {
    auto out = open_postgres_projection({.server = {.url = schema_.url()}});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  postgres_schema schema_;
};

class postgres_blob_driver final : public blob_driver {
public:
  std::unique_ptr<blob_store> open() override {
    auto out = open_postgres_blobs({.url = schema_.url()});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  postgres_schema schema_;
};

class postgres_registry_driver final : public registry_driver {
public:
  std::unique_ptr<doi_registry> open() override {
    auto out = open_postgres_registry({.url = schema_.url()});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  postgres_schema schema_;
};

class postgres_inventory_driver final : public inventory_driver {
public:
  std::unique_ptr<inventory> open() override {
    auto out = open_postgres_inventory({.url = schema_.url()});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  postgres_schema schema_;
};

class postgres_lease_driver final : public lease_driver {
public:
  caf::expected<std::unique_ptr<shard_leases>>
  open(const std::string& name, shard_number shards) override {
    return open_postgres_leases({.server = {.url = schema_.url()},
                                 .self = {name, "127.0.0.1:1"},
                                 .count = shards});
  }

  /// The server's clock is nobody's to set: it is told to wait.
  void pass(std::uint32_t ms) override {
    schema_.run("SELECT pg_sleep(" + std::to_string(ms) + " / 1000.0)");
  }

private:
  postgres_schema schema_;
};

/// One candidate, or none without a server.
template <class Candidate, class Driver>
std::vector<Candidate> candidates() {
  if (!postgres_installed())
    return {};
  return {{"postgres", [] { return std::make_unique<Driver>(); }}};
}

} // namespace

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(journal_store_suite);

INSTANTIATE_TEST_SUITE_P(
  all, journal_store_suite,
  ::testing::ValuesIn(
    candidates<journal_candidate, postgres_journal_driver>()),
  [](const auto& x) { return x.param.name; });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(projection_store_suite);

INSTANTIATE_TEST_SUITE_P(
  all, projection_store_suite,
  ::testing::ValuesIn(
    candidates<projection_candidate, postgres_projection_driver>()),
  [](const auto& x) { return x.param.name; });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(projection_records_suite);

INSTANTIATE_TEST_SUITE_P(
  all, projection_records_suite,
  ::testing::ValuesIn(
    candidates<projection_candidate, postgres_projection_driver>()),
  [](const auto& x) { return x.param.name; });

TEST(postgres_blobs, that_have_rotted_are_mended_by_the_next_put) {
  if (!postgres_installed())
    GTEST_SKIP() << "POSTGRESQL IS NOT INSTALLED";
  const postgres_schema schema;
  const auto store = open_postgres_blobs({.url = schema.url()});
  ASSERT_TRUE(store) << render(store.error());
  const auto name = (*store)->put("abc");
  ASSERT_TRUE(name) << render(name.error());
  schema.run("UPDATE blobs SET bytes = 'xyz'");
  EXPECT_EQ((*store)->get(*name), ec::store_damaged);
  EXPECT_TRUE((*store)->put("abc"));
  EXPECT_EQ((*store)->get(*name), "abc");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(blob_store_suite);

INSTANTIATE_TEST_SUITE_P(
  all, blob_store_suite,
  ::testing::ValuesIn(candidates<blob_candidate, postgres_blob_driver>()),
  [](const auto& x) { return x.param.name; });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(doi_registry_suite);

INSTANTIATE_TEST_SUITE_P(
  all, doi_registry_suite,
  ::testing::ValuesIn(
    candidates<registry_candidate, postgres_registry_driver>()),
  [](const auto& x) { return x.param.name; });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(inventory_suite);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(fixity_suite);

INSTANTIATE_TEST_SUITE_P(
  all, inventory_suite,
  ::testing::ValuesIn(
    candidates<inventory_candidate, postgres_inventory_driver>()),
  [](const auto& x) { return x.param.name; });

INSTANTIATE_TEST_SUITE_P(
  all, fixity_suite,
  ::testing::ValuesIn(
    candidates<inventory_candidate, postgres_inventory_driver>()),
  [](const auto& x) { return x.param.name; });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(shard_leases_suite);

INSTANTIATE_TEST_SUITE_P(
  all, shard_leases_suite,
  ::testing::ValuesIn(candidates<lease_candidate, postgres_lease_driver>()),
  [](const auto& x) { return x.param.name; });

} // namespace depositd
