// The contract of both stores, over a socket between two actor systems.

#include "adapters/node/store_client.hpp"
#include "adapters/node/store_line.hpp"
#include "adapters/node/store_server.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/memory/memory_doi_registry.hpp"
#include "tests/adapters/node/system_pair.hpp"
#include "tests/contract/blob_store_suite.hpp"
#include "tests/contract/doi_registry_suite.hpp"

#include <caf/send.hpp>

namespace depositd::node {

constexpr std::size_t blob_bytes_of_test = 20u << 20;

/// Stores in memory on the engine's side, and the way to them.
class remote_stores {
public:
  remote_stores() {
    // On the scheduler: a detached actor that ends while its system does can
    // hang CAF 0.17, and these stores do not block.
    const auto worker = [this] {
      return pair_.engine().spawn(
        effects_worker, std::make_shared<effects_desk>(blobs_, registry_));
    };
    effects_ = pair_.engine().spawn(effects, effects_options{worker, 2});
    line_.connect(pair_.from_node(effects_));
  }

  ~remote_stores() {
    line_.close();
    caf::anon_send_exit(effects_, caf::exit_reason::user_shutdown);
    effects_ = nullptr;
  }

  effect_caller caller() {
    return [this](const std::string& what, std::string arguments) {
      return line_.call(what, arguments);
    };
  }

private:
  std::shared_ptr<blob_store> blobs_ = make_memory_blobs();
  std::shared_ptr<doi_registry> registry_ = make_memory_registry();
  system_pair pair_;
  effects_actor effects_;
  effect_line line_{pair_.node()};
};

class remote_blob_driver final : public blob_driver {
public:
  std::unique_ptr<blob_store> open() override {
    return remote_blobs(stores_.caller());
  }

private:
  remote_stores stores_;
};

class remote_registry_driver final : public registry_driver {
public:
  std::unique_ptr<doi_registry> open() override {
    return remote_registry(stores_.caller());
  }

private:
  remote_stores stores_;
};

TEST(remote_stores, carry_a_blob_that_is_larger_than_a_message) {
  remote_stores stores;
  const auto blobs = remote_blobs(stores.caller());
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
  const auto blobs = remote_blobs(stores.caller());
  const auto name = blobs->put(std::string(49u << 20, 'x'));
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error(), ec::too_large);
}

TEST(remote_stores, copy_no_files) {
  remote_stores stores;
  EXPECT_EQ(remote_blobs(stores.caller())->backup("."), ec::invalid_argument);
  EXPECT_EQ(remote_registry(stores.caller())->backup("."),
            ec::invalid_argument);
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
