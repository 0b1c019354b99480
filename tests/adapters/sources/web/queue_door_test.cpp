// A queue of a real depositd.

#include "adapters/sources/web/queue_reader.hpp"
#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"
#include "tests/adapters/sources/web/web_sources.hpp"

#include <algorithm>

namespace depositd::sources {

namespace {

class queue_door : public depositd::testing::emodb_queue {
protected:
  queue_door() {
    settings = web_source(
      source_kind::queue,
      "http://127.0.0.1:"
        + std::to_string(depositd::testing::shared_engine().http_port())
        + "/queue/1/" + q);
    settings.from.key_file = keys.path("secret");
    reader = opened(make_queue_reader("src", settings, web_context()));
  }

  key_files keys{depositd::testing::key_of_all};
  source_settings settings;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(queue_door, messages_go_when_they_are_applied) {
  client.send_all(q, depositd::testing::numbered(25));
  const auto batch = next(*reader, 100);
  ASSERT_EQ(batch.records.size(), 25u);
  EXPECT_EQ(client.size(q), 25);
  EXPECT_EQ(client.claims(q), 25);
  std::vector<std::string> bodies;
  for (const auto& x : batch.records)
    bodies.push_back(x.body);
  std::sort(bodies.begin(), bodies.end());
  EXPECT_EQ(bodies, depositd::testing::numbered(25));
  auto keys_of_all = keys_of(batch);
  keys_of_all.pop_back();
  const auto error = reader->applied(keys_of_all);
  EXPECT_FALSE(error) << render(error);
  EXPECT_EQ(client.size(q), 1) << "the last one is not applied yet";
}

TEST_F(queue_door, messages_come_again_under_their_keys) {
  client.send(q, "1");
  const auto first = keys_of(next(*reader));
  EXPECT_TRUE(next(*reader).records.empty()) << "it is claimed";
  client.post(q + "/unclaimall");
  EXPECT_EQ(keys_of(next(*reader)), first);
  EXPECT_FALSE(reader->applied(first));
  EXPECT_EQ(client.size(q), 0);
  EXPECT_FALSE(reader->applied(first));
}

TEST_F(queue_door, an_acknowledgement_after_the_claim_is_no_error) {
  client.send(q, "1");
  const auto first = keys_of(next(*reader));
  client.post(q + "/unclaimall");
  EXPECT_FALSE(reader->applied(first));
  EXPECT_EQ(client.size(q), 0);
}

TEST_F(queue_door, a_wrong_key_is_refused_and_not_told) {
  keys.write("secret", "a-key-of-nobody");
  const auto out = asked(*reader);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_NE(render(out.error()).find("403"), std::string::npos)
    << render(out.error());
  EXPECT_EQ(render(out.error()).find("a-key-of-nobody"), std::string::npos);
}

TEST_F(queue_door, a_queue_that_nobody_has_used_is_empty) {
  EXPECT_TRUE(next(*reader).records.empty());
}

} // namespace depositd::sources
