// Cases N1 to N5: which names queues may have.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"
#include "tests/adapters/doors/http/raw_client.hpp"

using namespace depositd::testing;

namespace {

class names : public emodb_doors {};

const std::string complaint = "Queue name must be";

} // namespace

ON_BOTH_DOORS(names);

TEST_P(names, N1_every_legal_name_is_a_queue) {
  for (const std::string& name :
       {std::string{"__"}, std::string{"__x"}, std::string{"..."},
        std::string{"-"}, std::string{":"}, std::string{"@"}, std::string{"0"},
        std::string{"9"}, std::string{"a"}, std::string{"z"}, std::string{"a_"},
        std::string{"a.b-c:d@e_f"}, std::string(255, 'x')}) {
    EXPECT_TRUE(is_ok(client.post(name + "/send", "1"))) << name;
    EXPECT_GE(client.size(name), 1) << name;
  }
}

TEST_P(names, N2_every_other_name_is_an_argument_error) {
  for (const std::string& name :
       {std::string{"_"}, std::string{"_a"}, std::string{"A"}, std::string{"Z"},
        std::string{"aB"}, std::string{"#"}, std::string{"&"}, std::string{"^"},
        std::string{"%"}, std::string{" "}, std::string{"a b"},
        std::string{"\t"}, std::string{"\n"}, std::string("\0", 1),
        std::string("a\0b", 3), std::string{"\xc3\xa4"}, std::string{"\xff"},
        std::string{"a/b"}, std::string{"a;b"}, std::string{"a\\b"},
        std::string(256, 'x')})
    EXPECT_TRUE(is_illegal(client.post(percent_encoded(name) + "/send", "1"),
                           complaint))
      << '"' << name << '"';
}

TEST_P(names, N3_dots_are_names_and_illegal_however_they_are_written) {
  for (const char* name : {"%2E", "%2E%2E", ".", "..", "%2e."}) {
    const std::string queue = name;
    EXPECT_TRUE(is_illegal(client.post(queue + "/send", "1"), complaint))
      << name;
    EXPECT_TRUE(is_illegal(client.get(queue + "/size"), complaint)) << name;
    EXPECT_TRUE(is_illegal(client.remove(queue), complaint)) << name;
  }
}

TEST_P(names, N3_literal_dots_reach_no_other_resource) {
  depositd::testing::raw_client raw{shared_engine().http_port()};
  for (const char* path : {"/..", "/.", "/../", "/..?partitioned=false"}) {
    const auto x = raw.exchange("DELETE " + client.base() + path
                                + " HTTP/1.1\r\nHost: a\r\nX-BV-API-Key: "
                                + key_of_all + "\r\n\r\n");
    ASSERT_TRUE(x) << path;
    EXPECT_EQ(x->status, 400u) << path;
    EXPECT_EQ(x->header("x-bv-exception"), "java.lang.IllegalArgumentException")
      << path;
    EXPECT_EQ(x->body.rfind(complaint, 0), 0u) << path << ": " << x->body;
  }
}

TEST_P(names, N4_every_route_refuses_a_bad_name) {
  for (const char* path :
       {"BAD/poll", "BAD/peek", "BAD/size", "BAD/claimcount"})
    EXPECT_TRUE(is_illegal(client.get(path), complaint)) << path;
  for (const char* path : {"BAD/ack", "BAD/renew", "BAD/sendbatch"})
    EXPECT_TRUE(is_illegal(client.post(path, "[]"), complaint)) << path;
  EXPECT_TRUE(is_illegal(client.post("BAD/unclaimall"), complaint));
  EXPECT_TRUE(is_illegal(client.remove("BAD"), complaint));
}

TEST_P(names, N5_percent_signs_are_decoded_before_the_name_is_used) {
  const auto plain = fresh() + ":b";
  const auto encoded = percent_encoded(plain);
  ASSERT_NE(plain, encoded);
  client.send(plain, "1");
  EXPECT_EQ(client.size(encoded), 1);
  EXPECT_TRUE(is_ok(client.remove(encoded)));
  EXPECT_EQ(client.size(plain), 0);
}

TEST_P(names, what_follows_a_semicolon_in_the_path_is_dropped) {
  client.send(q + ";a=b", "1");
  EXPECT_EQ(client.size(q), 1);
}

TEST_P(names, a_slash_at_the_end_does_not_matter) {
  EXPECT_TRUE(is_ok(client.post(q + "/send/", "1")));
  EXPECT_EQ(client.size(q), 1);
  EXPECT_TRUE(is_ok(client.remove(q + "/")));
  EXPECT_EQ(client.size(q), 0);
}
