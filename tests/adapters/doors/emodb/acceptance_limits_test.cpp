// Cases W6, L1 to L3: full disks, many claims, load, and kills.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <algorithm>
#include <atomic>

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class limits : public emodb_doors {};

/// An engine that keeps what it has on a disk.
class on_disk : public emodb_doors {
protected:
  on_disk() {
    engine.start();
    engine.add_key("tester", key_of_all, all_rights);
  }

  emodb_client connect() {
    return emodb_client{engine.http_port(), client.base()};
  }

  engine_process engine{engine_process::store::disk};
};

} // namespace

ON_BOTH_DOORS(limits);
ON_BOTH_DOORS(on_disk);

TEST_P(on_disk, W6_a_store_that_fails_is_503_and_takes_nothing) {
  auto mine = connect();
  mine.send(q, "1");
  engine.allow_writes(false);
  EXPECT_TRUE(is_unavailable(mine.post(q + "/send", "2")));
  EXPECT_TRUE(is_unavailable(mine.post(q + "/sendbatch", "[3]")));
  EXPECT_TRUE(is_unavailable(mine.get(q + "/poll")));
  // A journal that could not even be cleaned up wants to be opened again.
  engine.kill();
  engine.start();
  auto again = connect();
  again.send(q, "4");
  EXPECT_EQ(payloads_of(again.poll(q)), (std::vector<std::string>{"1", "4"}));
}

TEST_P(limits, L1_twenty_thousand_claims_are_enough) {
  for (std::size_t i = 0; i < 21; ++i)
    client.send_all(q, numbered(1000, i * 1000));
  std::size_t claimed = 0;
  for (int i = 0; i < 20; ++i)
    claimed += client.poll(q, "ttl=3600&limit=1000").size();
  EXPECT_EQ(claimed, 20'000u);
  EXPECT_EQ(client.claims(q), 20'000);
  EXPECT_TRUE(says(client.get(q + "/poll"), "[]"));
  auto peeked = client.peek(q, 5);
  client.ack(q, peeked);
  EXPECT_EQ(client.poll(q).size(), 5u) << "five claims have ended";
  EXPECT_TRUE(is_ok(client.post(q + "/unclaimall")));
  EXPECT_EQ(client.poll(q, "ttl=1&limit=1000").size(), 1000u);
  EXPECT_TRUE(is_ok(client.remove(q)));
}

TEST_P(limits, L2_no_call_takes_half_a_second_at_a_modest_rate) {
  std::atomic<int> late{0};
  std::atomic<int> acked{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&, i] {
      emodb_client mine{shared_engine().http_port(), client.base(), key_of_all,
                        500};
      for (int n = 0; n < 250; ++n) {
        const auto text = std::to_string(i * 1000 + n);
        late += mine.post(q + "/send", text).status != 200;
        const auto x = mine.get(q + "/poll?ttl=30&limit=10");
        late += x.status != 200;
        std::vector<message> found;
        if (x.status == 200)
          for (const auto& one : x.document())
            found.push_back({one["id"].get<std::string>(), ""});
        late += mine.post(q + "/ack", ids_of(found)).status != 200;
        acked += static_cast<int>(found.size());
      }
    });
  for (auto& x : workers)
    x.join();
  EXPECT_EQ(late, 0);
  client.ack(q, client.poll(q));
  EXPECT_EQ(client.size(q), 0);
  EXPECT_GE(acked, 900);
}

TEST_P(on_disk, L3_a_kill_loses_no_message_and_no_claim) {
  const auto sent = numbered(100);
  std::vector<message> claimed;
  {
    auto mine = connect();
    mine.send_all(q, sent);
    claimed = mine.poll(q, "ttl=300&limit=30");
    mine.ack(q, mine.poll(q, "ttl=300&limit=10"));
  }
  engine.kill();
  engine.start();
  auto mine = connect();
  EXPECT_EQ(mine.size(q), 90);
  EXPECT_EQ(mine.claims(q), 30);
  const auto rest = mine.poll(q);
  EXPECT_EQ(rest.size(), 60u);
  mine.ack(q, claimed);
  EXPECT_EQ(mine.size(q), 60);
  EXPECT_TRUE(is_ok(mine.post(q + "/unclaimall")));
  const auto again = mine.poll(q);
  EXPECT_EQ(payloads_of(again), payloads_of(rest));
  for (const auto& x : rest)
    EXPECT_NE(std::find(again.begin(), again.end(), x), again.end()) << x.id;
}

TEST_P(on_disk, the_status_of_a_move_survives_a_kill) {
  const auto to = q + "-to";
  std::string reference;
  {
    auto mine = connect();
    mine.send_all(q, numbered(1000));
    reference = mine.move(q, to);
  }
  engine.kill();
  engine.start();
  auto mine = connect();
  mine.await_move(reference);
  EXPECT_EQ(mine.size(q), 0);
  EXPECT_EQ(payloads_of(mine.poll(to, "ttl=300&limit=1000")), numbered(1000));
}

TEST_P(on_disk, duplicates_sent_before_and_after_a_restart_are_duplicates) {
  {
    auto mine = connect();
    mine.send(q, R"({"a":1})");
  }
  engine.kill();
  engine.start();
  auto mine = connect();
  mine.send(q, R"({"a":1})");
  EXPECT_EQ(mine.poll(q).size(), GetParam() == flavour::queue ? 2u : 1u);
}

TEST_P(on_disk, a_claim_ends_though_the_engine_was_away_meanwhile) {
  {
    auto mine = connect();
    mine.send_all(q, numbered(3));
    EXPECT_EQ(mine.poll(q, "ttl=1").size(), 3u);
  }
  engine.kill();
  outlive(1000ms);
  engine.start();
  auto mine = connect();
  EXPECT_TRUE(wait_for([&] { return mine.claims(q) == 0; }));
  EXPECT_EQ(mine.poll(q).size(), 3u);
}

TEST_P(on_disk, keys_survive_a_restart) {
  EXPECT_EQ(engine.stop(), 0);
  engine.start();
  auto mine = connect();
  mine.send(q, "1");
  EXPECT_EQ(mine.poll(q).size(), 1u);
}
