// The contract of both stores, over a socket between two actor systems.

#include "adapters/node/store_client.hpp"
#include "adapters/node/store_server.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/sqlite/sqlite_inventory.hpp"
#include "messages/workers.hpp"
#include "tests/adapters/node/system_pair.hpp"
#include "tests/contract/blob_store_suite.hpp"
#include "tests/contract/doi_registry_suite.hpp"
#include "tests/contract/inventory_suite.hpp"
#include "tests/support/memory_tables.hpp"

#include <caf/send.hpp>

#include <map>
#include <mutex>

namespace depositd::node {

constexpr std::size_t blob_bytes_of_test = 20u << 20;

/// A number for each new key.
class counting_minter final : public minter {
public:
  caf::expected<std::string> mint(const mint_request& x) override {
    const std::lock_guard turn{mutex_};
    const auto [at, fresh] = given_.try_emplace(x.key, given_.size() + 1);
    return "ark:/99999/fk4" + std::to_string(at->second);
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::size_t> given_;
};

/// Stores in memory on the engine's side, and the way to them.
class remote_stores {
public:
  remote_stores() {
    // On the scheduler: a detached actor that ends while its system does can
    // hang CAF 0.17, and these stores do not block.
    const std::shared_ptr<blob_store> blobs = make_memory_blobs();
    const served_stores served{blobs, make_memory_registry(),
                               std::make_shared<blob_pieces>(blobs),
                               std::move(*open_sqlite_inventory(":memory:")),
                               std::make_shared<counting_minter>()};
    server_ =
      workers<store_server_actor>(pair_.engine(), {.count = 2}, [this, served] {
        return pair_.engine().spawn(store_server, served);
      });
    line_->connect(pair_.from_node(server_));
  }

  ~remote_stores() {
    line_->close();
    caf::anon_send_exit(server_, caf::exit_reason::user_shutdown);
    server_ = nullptr;
  }

  const std::shared_ptr<store_line>& line() const {
    return line_;
  }

private:
  system_pair pair_;
  store_server_actor server_;
  std::shared_ptr<store_line> line_ =
    std::make_shared<store_line>(pair_.node());
};

class remote_blob_driver final : public blob_driver {
public:
  std::unique_ptr<blob_store> open() override {
    return remote_blobs(stores_.line());
  }

private:
  remote_stores stores_;
};

class remote_registry_driver final : public registry_driver {
public:
  std::unique_ptr<doi_registry> open() override {
    return remote_registry(stores_.line());
  }

private:
  remote_stores stores_;
};

class remote_inventory_driver final : public inventory_driver {
public:
  std::unique_ptr<inventory> open() override {
    return remote_inventory(stores_.line());
  }

private:
  remote_stores stores_;
};

TEST(remote_stores, mint_the_same_for_the_same_key) {
  remote_stores stores;
  const auto minter = remote_minter(stores.line());
  const auto mint = [&](const std::string& key) {
    mint_request what;
    what.key = key;
    return minter->mint(what);
  };
  const auto first = mint("jid-1");
  const auto other = mint("jid-2");
  const auto again = mint("jid-1");
  ASSERT_TRUE(first && other && again);
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *other);
}

TEST(remote_stores, refuse_a_record_that_no_message_can_carry) {
  remote_stores stores;
  auto entry = an_entry("ark:/99999/fk4a", "jid-1");
  entry.version.title = std::string(49u << 20, 'x');
  EXPECT_EQ(remote_inventory(stores.line())->record(entry), ec::too_large);
}

TEST(remote_stores, carry_a_blob_that_is_larger_than_a_message) {
  remote_stores stores;
  const auto blobs = remote_blobs(stores.line());
  std::string large(blob_bytes_of_test, 'x');
  for (std::size_t i = 0; i < large.size(); i += 4096)
    large[i] = static_cast<char>('a' + i / 4096 % 26);
  const auto name = blobs->put(large);
  ASSERT_TRUE(name) << render(name.error());
  const auto found = blobs->get(*name);
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_TRUE(*found == large);
}

TEST(remote_stores, refuse_a_blob_that_no_message_can_carry) {
  remote_stores stores;
  const auto blobs = remote_blobs(stores.line());
  const auto name = blobs->put(std::string(49u << 20, 'x'));
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error(), ec::too_large);
}

TEST(remote_stores, copy_no_files) {
  remote_stores stores;
  EXPECT_EQ(remote_blobs(stores.line())->backup("."), ec::invalid_argument);
  EXPECT_EQ(remote_registry(stores.line())->backup("."), ec::invalid_argument);
}

} // namespace depositd::node

namespace depositd {

INSTANTIATE_TEST_SUITE_P(
  remote, blob_store_suite,
  ::testing::Values(blob_candidate{
    "remote", [] { return std::make_unique<node::remote_blob_driver>(); }}),
  [](const auto& x) { return x.param.name; });

INSTANTIATE_TEST_SUITE_P(
  remote, doi_registry_suite,
  ::testing::Values(registry_candidate{
    "remote", [] { return std::make_unique<node::remote_registry_driver>(); }}),
  [](const auto& x) { return x.param.name; });

INSTANTIATE_TEST_SUITE_P(
  remote, inventory_suite,
  ::testing::Values(inventory_candidate{
    "remote",
    [] { return std::make_unique<node::remote_inventory_driver>(); }}),
  [](const auto& x) { return x.param.name; });

} // namespace depositd
