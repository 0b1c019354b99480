// The contract of both stores, over a socket between two actor systems.

#include "adapters/node/store_client.hpp"
#include "adapters/node/store_server.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "messages/workers.hpp"
#include "tests/adapters/node/system_pair.hpp"
#include "tests/contract/blob_store_suite.hpp"
#include "tests/contract/doi_registry_suite.hpp"
#include "tests/support/memory_tables.hpp"

#include <caf/send.hpp>

namespace depositd::node {

constexpr std::size_t blob_bytes_of_test = 20u << 20;

/// Stores in memory on the engine's side, and the way to them.
class remote_stores {
public:
  remote_stores() {
    // On the scheduler: a detached actor that ends while its system does can
    // hang CAF 0.17, and these stores do not block.
    const std::shared_ptr<blob_store> blobs = make_memory_blobs();
    const served_stores served{blobs, make_memory_registry(),
                               std::make_shared<blob_pieces>(blobs)};
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

} // namespace depositd
