#include "tests/contract/shard_leases_suite.hpp"
#include "tests/support/memory_shard_leases.hpp"

namespace depositd {

namespace {

class memory_lease_driver final : public lease_driver {
public:
  caf::expected<std::unique_ptr<shard_leases>>
  open(const std::string& name, shard_number shards) override {
    return open_memory_leases(on_, {name, "127.0.0.1:1"}, shards);
  }

  void pass(std::uint32_t ms) override {
    now_ += std::chrono::milliseconds{ms};
  }

private:
  std::chrono::steady_clock::time_point now_{std::chrono::hours{1}};
  std::shared_ptr<memory_leases> on_
    = make_memory_leases({count, [this] { return now_; }});
};

lease_candidate in_memory{
  "memory", [] { return std::make_unique<memory_lease_driver>(); }};

} // namespace

INSTANTIATE_TEST_SUITE_P(all, shard_leases_suite, ::testing::Values(in_memory),
                         [](const auto& x) { return x.param.name; });

TEST(memory_leases, are_out_of_reach_for_an_engine_that_is_cut_off) {
  const auto on = make_memory_leases({1});
  const auto a = std::move(*open_memory_leases(on, {"a", ""}, 1));
  cut_off(*on, "a", true);
  EXPECT_EQ(a->take(0, 1000).error(), ec::store_failed);
  EXPECT_EQ(a->renew(1000, true).error(), ec::store_failed);
  EXPECT_EQ(a->list().error(), ec::store_failed);
  cut_off(*on, "a", false);
  EXPECT_TRUE(*a->take(0, 1000));
}

} // namespace depositd
