#include "config/descriptors.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace depositd {
namespace {

std::uint64_t sum(const descriptor_shares& x) {
  return std::uint64_t{x.http} + x.admin + x.node + x.node_unfinished + x.nsq
         + x.nsq_unfinished + x.nsq_http;
}

TEST(descriptors, are_what_the_settings_want_if_there_are_so_many) {
  depositd_settings settings;
  const auto x = share_descriptors(20'000, settings);
  EXPECT_EQ(x.http, settings.http.connections_max);
  EXPECT_EQ(x.node, settings.node.limits.connections_max);
  EXPECT_EQ(x.node_unfinished, settings.node.limits.unfinished_max);
  EXPECT_EQ(x.admin, 512U);
}

TEST(descriptors, are_as_many_as_the_system_gives) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  auto few = before;
  few.rlim_cur = std::min<rlim_t>(64, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  raise_descriptor_limit();
  rlimit after{};
  ::getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(descriptors, are_held_back_for_the_journal_if_there_are_few) {
  for (const std::uint64_t limit : {160, 200, 256, 1'024, 4'096})
    EXPECT_LE(sum(share_descriptors(limit, {})), limit - 96) << limit;
}

TEST(descriptors, suffice_for_somebody_at_each_door_whatever_happens) {
  for (const std::uint64_t limit : {0, 16, 64, 97, 128}) {
    const auto x = share_descriptors(limit, {});
    EXPECT_GE(x.http, 4U);
    EXPECT_GE(x.admin, 4U);
    EXPECT_GE(x.node, 4U);
    EXPECT_GE(x.node_unfinished, 4U);
  }
}

TEST(descriptors, are_shared_with_nsq_s_clients_where_there_may_be_any) {
  EXPECT_EQ(share_descriptors(20'000, {}).nsq, 0U);
  depositd_settings settings;
  settings.nsq.listen = {"127.0.0.1", 4150};
  EXPECT_EQ(share_descriptors(20'000, settings).nsq,
            settings.nsq.limits.connections_max);
  for (const std::uint64_t limit : {256, 1'024, 4'096}) {
    const auto x = share_descriptors(limit, settings);
    EXPECT_LE(sum(x), limit - 96) << limit;
    EXPECT_GE(x.nsq, 4U);
    EXPECT_GE(x.nsq_unfinished, 4U);
  }
}

TEST(descriptors, are_shared_with_nsq_s_http_door_where_it_is_open) {
  EXPECT_EQ(share_descriptors(20'000, {}).nsq_http, 0U);
  depositd_settings settings;
  settings.nsq.listen = {"127.0.0.1", 4150};
  settings.nsq.http.listen = {"127.0.0.1", 4151};
  EXPECT_EQ(share_descriptors(20'000, settings).nsq_http, 512U);
  for (const std::uint64_t limit : {256, 1'024, 4'096}) {
    const auto x = share_descriptors(limit, settings);
    EXPECT_LE(sum(x), limit - 96) << limit;
    EXPECT_GE(x.nsq_http, 4U);
  }
}

TEST(descriptors, of_a_door_are_no_more_than_it_wants) {
  depositd_settings settings;
  settings.http.connections_max = 5;
  settings.node.limits.unfinished_max = 2;
  const auto x = share_descriptors(256, settings);
  EXPECT_EQ(x.http, 5U);
  EXPECT_EQ(x.node_unfinished, 2U);
}

} // namespace
} // namespace depositd
