// Orders about what is stored, over HTTP.

#include "tests/adapters/doors/poster/poster_world.hpp"
#include "tests/support/kept_audit.hpp"

#include "messages/orders.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

class poster_orders : public poster_world {
protected:
  /// The desk, which answers as a test wants.
  struct desk_state {
    std::mutex guard;
    std::vector<place_order> placed;
    std::vector<ask_deletion> asked;
    ec fails = ec{};
  };

  poster_orders() {
    options.orders = caf::actor_cast<order_desk_actor>(
      keep(system.spawn([x = desk](caf::event_based_actor*) -> caf::behavior {
        return {
          [=](const place_order& what) -> caf::result<order_placed> {
            const std::lock_guard lock{x->guard};
            if (x->fails != ec{})
              return caf::make_error(x->fails, "as the test wants");
            x->placed.push_back(what);
            auto made = make_order(
              what.what,
              {.uuid = "bid-9", .user = "owner", .collection = "papers"});
            return order_placed{99, made.info, "owner"};
          },
          [=](const ask_deletion& what) -> caf::result<deletion_asked> {
            const std::lock_guard lock{x->guard};
            x->asked.push_back(what);
            deletion_changed out;
            out.reference = "del-1";
            out.user = "owner";
            out.asked_by = what.asked_by;
            out.asked_us = 1'772'357'400'000'000;
            for (const auto& one : what.objects)
              out.targets.push_back({one, "papers"});
            return deletion_asked{out};
          },
        };
      })));
  }

  place_order placed() {
    const std::lock_guard lock{desk->guard};
    if (desk->placed.empty()) {
      ADD_FAILURE() << "nothing was ordered";
      return {};
    }
    return desk->placed.back();
  }

  raw_answer post_plain(const std::string& target, const std::string& body = "",
                        const std::string& head = basic("owner")) {
    return ask(
      post_text(target, body, head, "application/x-www-form-urlencoded"));
  }

  poster::door_options options;
  std::shared_ptr<desk_state> desk = std::make_shared<desk_state>();
};

} // namespace

TEST_F(poster_orders, an_object_is_restored_for_its_user) {
  start(options);
  const auto said = post_plain("/poster/restore/inst/bag%2017");
  ASSERT_EQ(said.status, 200u) << said.body;
  const auto x = json_of(said);
  EXPECT_EQ(x["bid"], 99);
  EXPECT_EQ(x["order"], "restore_object");
  EXPECT_EQ(x["object"], "inst/bag 17");
  const auto what = placed();
  EXPECT_EQ(what.what.kind, order_kind::restore_object);
  EXPECT_EQ(what.what.asked_by, "user owner");
  EXPECT_EQ(what.limits.users, std::vector<std::string>{"owner"});
  EXPECT_EQ(what.source, "http");
}

TEST_F(poster_orders, a_file_is_named_by_a_field) {
  start(options);
  ASSERT_EQ(post_plain("/poster/restore/inst/bag", "file=data%2Fa.txt").status,
            200u);
  EXPECT_EQ(placed().what.kind, order_kind::restore_file);
  EXPECT_EQ(placed().what.file, "data/a.txt");
  ASSERT_EQ(post_plain("/poster/recall/inst/bag?file=data/b").status, 200u);
  EXPECT_EQ(placed().what.kind, order_kind::restore_glacier);
  EXPECT_EQ(placed().what.file, "data/b");
  ASSERT_EQ(post_plain("/poster/fixity/inst/bag").status, 200u);
  EXPECT_EQ(placed().what.kind, order_kind::fixity_check);
}

TEST_F(poster_orders, an_ark_is_one_with_its_slash_and_without) {
  start(options);
  for (const auto* ark : {"ark:99999/fk4abc", "ark%3A%2F99999%2Ffk4abc"}) {
    ASSERT_EQ(post_plain(std::string{"/poster/fixity/"} + ark).status, 200u);
    EXPECT_EQ(placed().what.object, "ark:/99999/fk4abc");
  }
}

TEST_F(poster_orders, refusals_have_their_status) {
  start(options);
  for (const auto& [code, status] :
       {std::pair{ec::not_found, 404u}, std::pair{ec::already_exists, 409u},
        std::pair{ec::invalid_argument, 400u}, std::pair{ec::not_allowed, 403u},
        std::pair{ec::overloaded, 503u}}) {
    {
      const std::lock_guard lock{desk->guard};
      desk->fails = code;
    }
    EXPECT_EQ(post_plain("/poster/restore/inst/bag").status, status);
  }
}

TEST_F(poster_orders, nobody_orders_without_a_login) {
  start(options);
  EXPECT_EQ(post_plain("/poster/restore/x", "", "").status, 401u);
  EXPECT_EQ(post_plain("/poster/delete/x", "", basic("owner", "no")).status,
            401u);
  EXPECT_EQ(get("/poster/deletions", "").status, 401u);
  const std::lock_guard lock{desk->guard};
  EXPECT_TRUE(desk->placed.empty() && desk->asked.empty());
}

TEST_F(poster_orders, a_deletion_is_only_asked_for) {
  start(options);
  const auto said = post_plain("/poster/delete/inst/bag", "reason=old");
  ASSERT_EQ(said.status, 202u) << said.body;
  EXPECT_EQ(json_of(said)["state"], "asked");
  EXPECT_EQ(json_of(said)["reference"], "del-1");
  const std::lock_guard lock{desk->guard};
  ASSERT_EQ(desk->asked.size(), 1u);
  EXPECT_EQ(desk->asked[0].objects, std::vector<std::string>{"inst/bag"});
  EXPECT_EQ(desk->asked[0].reason, "old");
  EXPECT_EQ(desk->asked[0].asked_by, "user owner");
}

TEST_F(poster_orders, no_file_is_deleted_alone) {
  start(options);
  for (const auto& [target, form] :
       {std::pair{"/poster/delete/inst/bag", "file=data%2Fa.txt&reason=old"},
        std::pair{"/poster/delete/inst/bag?file=data/a.txt", "reason=old"},
        std::pair{"/poster/delete/inst/bag", "file="}}) {
    const auto said = post_plain(target, form);
    EXPECT_EQ(said.status, 400u) << said.body;
    EXPECT_NE(said.body.find("No file is deleted alone"), std::string::npos)
      << said.body;
  }
  const std::lock_guard lock{desk->guard};
  EXPECT_TRUE(desk->asked.empty());
}

TEST_F(poster_orders, each_user_sees_their_own_requests) {
  for (const auto* user : {"owner", "stranger"}) {
    deletion_changed x;
    x.reference = std::string{"del-"} + user;
    x.user = user;
    x.targets = {{"inst/bag", "papers"}};
    x.asked_by = "user owner";
    x.asked_us = 1'772'357'400'000'000;
    core->control.deletions[x.reference] = x;
  }
  start(options);
  const auto said = get("/poster/deletions");
  ASSERT_EQ(said.status, 200u);
  const auto all = json_of(said)["requests"];
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0]["reference"], "del-owner");
}

TEST_F(poster_orders, a_list_of_requests_has_an_end) {
  for (int i = 0; i <= 1'000; ++i) {
    deletion_changed x;
    x.reference = "del-" + std::to_string(10'000 + i);
    x.user = "owner";
    x.targets = {{"inst/bag", "papers"}};
    core->control.deletions[x.reference] = x;
  }
  start(options);
  const auto all = json_of(get("/poster/deletions"))["requests"];
  ASSERT_EQ(all.size(), 1'000u);
  EXPECT_EQ(all.front()["reference"], "del-10000");
  EXPECT_EQ(all.back()["reference"], "del-10999");
}

TEST_F(poster_orders, no_more_than_the_quota_are_taken) {
  quota_changed quota;
  quota.queue = "aptrust_restore_object.batch";
  quota.user = "owner";
  quota.has_requests_per_second = true;
  quota.requests_per_second = 1;
  core->control.quotas[{quota.queue, quota.user}] = quota;
  start(options);
  unsigned refused = 0;
  for (int i = 0; i < 20; ++i)
    refused += post_plain("/poster/restore/inst/bag").status == 429;
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(post_plain("/poster/recall/inst/bag").status, 200u)
    << "another pipeline";
}

TEST_F(poster_orders, without_an_inventory_there_is_nothing_to_order) {
  start();
  EXPECT_EQ(post_plain("/poster/restore/inst/bag").status, 404u);
}

TEST_F(poster_orders, leave_a_line_in_the_audit_log) {
  kept_audit kept;
  options.audit = kept.audit;
  start(options);
  ASSERT_EQ(post_plain("/poster/restore/inst/bag", "file=a.txt").status, 200u);
  EXPECT_EQ(kept.take(),
            "audit who=\"user owner from 127.0.0.1\" command=\"file restore\" "
            "arguments={\"object\":\"inst/bag\",\"file\":\"a.txt\"} "
            "before=null after=null result=\"done\"\n");
  ASSERT_EQ(post_plain("/poster/delete/inst/bag", "reason=old").status, 202u);
  EXPECT_EQ(kept.take(),
            "audit who=\"user owner from 127.0.0.1\" "
            "command=\"object delete\" "
            "arguments={\"object\":\"inst/bag\",\"reason\":\"old\"} "
            "before=null after=null result=\"done\"\n");
  {
    const std::lock_guard lock{desk->guard};
    desk->fails = ec::not_found;
  }
  ASSERT_EQ(post_plain("/poster/fixity/inst/bag").status, 404u);
  const auto refused = kept.take();
  EXPECT_NE(refused.find("command=\"fixity run\""), std::string::npos);
  EXPECT_NE(refused.find("as the test wants"), std::string::npos) << refused;
}
