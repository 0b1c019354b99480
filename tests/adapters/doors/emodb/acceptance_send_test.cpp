// Cases S1 to S12, B1 to B6, M1 to M6: what may be sent, one by one and in
// batches, and what becomes of the rest.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <random>

using namespace depositd::testing;

namespace {

class sends : public emodb_doors {
protected:
  /// What a poll gives back, compared as JSON that keeps the kind of numbers
  /// and the order of members.
  void comes_back(const std::string& text) {
    const auto queue = fresh();
    client.send(queue, text);
    const auto found = client.poll(queue);
    ASSERT_EQ(found.size(), 1u) << text.substr(0, 200);
    EXPECT_EQ(found[0].payload, json::parse(text).dump());
  }
};

class batches : public emodb_doors {};
class batches_for_many : public emodb_doors {};

/// Valid UTF-8 from all planes, without what is no character.
std::string random_text(std::mt19937& random, int count) {
  std::uniform_int_distribution<std::uint32_t> any{1, 0x10ffff};
  std::string text;
  while (count > 0) {
    const auto c = any(random);
    if (c >= 0xd800 && c <= 0xdfff)
      continue;
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += static_cast<char>(0xc0 | c >> 6);
      text += static_cast<char>(0x80 | (c & 63));
    } else if (c < 0x10000) {
      text += static_cast<char>(0xe0 | c >> 12);
      text += static_cast<char>(0x80 | (c >> 6 & 63));
      text += static_cast<char>(0x80 | (c & 63));
    } else {
      text += static_cast<char>(0xf0 | c >> 18);
      text += static_cast<char>(0x80 | (c >> 12 & 63));
      text += static_cast<char>(0x80 | (c >> 6 & 63));
      text += static_cast<char>(0x80 | (c & 63));
    }
    --count;
  }
  return text;
}

std::string too_large(std::size_t size) {
  return "Message size (" + std::to_string(size)
         + ") is greater than the maximum allowed (30720) message size";
}

/// A JSON string of so many bytes, quotes included.
std::string of_size(std::size_t bytes) {
  return '"' + std::string(bytes - 2, 'x') + '"';
}

} // namespace

ON_BOTH_DOORS(sends);
ON_BOTH_DOORS(batches);
ON_BOTH_DOORS(batches_for_many);

// -- send ---------------------------------------------------------------------

TEST_P(sends, S1_a_message_is_counted_and_peeked) {
  const std::string sent = R"({"provision":"TestCustomer"})";
  EXPECT_TRUE(is_ok(client.post(q + "/send", sent)));
  EXPECT_EQ(client.size(q), 1);
  const auto found = client.peek(q);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].payload, sent);
}

TEST_P(sends, S2_every_kind_of_value_comes_back_as_it_is) {
  for (const char* text :
       {"true", "false", "0", "-2147483648", "2147483647", "1.2", R"("")",
        R"("hello world")", R"([1,"two",[false,4,5]])",
        R"({"a":1,"d":{"k":"v"}})", "1.0", "9223372036854775807", "[]", "{}",
        R"({"b":1,"a":2})"})
    comes_back(text);
}

TEST_P(sends, S3_every_character_comes_back) {
  comes_back(json(std::string{"quotes \" ' backslash \\ brackets []{} tab \t "
                              "newline \n return \r bell \b \f \x01"})
               .dump());
  comes_back(R"("\u00e4\ud83d\ude00\/")");
  std::random_device seeds;
  const auto seed = seeds();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  comes_back(json(random_text(random, 1000)).dump());
}

TEST_P(sends, S4_null_is_a_message) {
  client.send(q, "null");
  const auto x = client.get(q + "/poll");
  const auto found = x.document();
  ASSERT_EQ(found.size(), 1u) << x;
  ASSERT_TRUE(found[0].contains("payload")) << x;
  EXPECT_TRUE(found[0]["payload"].is_null());
}

TEST_P(sends, S5_an_empty_body_is_422) {
  EXPECT_TRUE(is_empty_body(client.post(q + "/send", "")));
  EXPECT_TRUE(is_empty_body(client.post(q + "/sendbatch", "")));
  EXPECT_TRUE(is_empty_body(client.post("_sendbatch", "")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(sends, S6_what_is_not_json_is_refused_and_not_stored) {
  for (const char* text :
       {"{bad", R"({"a":1)", "{'a':1}", "[1,]", "NaN", "tru", R"("open)",
        "\"\xff\xfe\"", "01", R"({"a"})", "[1 2]"})
    EXPECT_TRUE(is_bad_json(client.post(q + "/send", text))) << text;
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(sends, S6_a_number_ends_with_the_text_or_at_white_space) {
  for (const char* text : {"12abc", "1.2.3", "0x10", "1,2", "12\xff", "1]"})
    EXPECT_TRUE(is_bad_json(client.post(q + "/send", text))) << text;
  EXPECT_EQ(client.size(q), 0);
  for (const char* text : {"12\n", "12 abc"})
    client.send(q, text);
  EXPECT_EQ(client.poll(q).at(0).payload, "12");
}

TEST_P(sends, S6_a_nul_byte_is_no_empty_body) {
  EXPECT_TRUE(is_bad_json(client.post(q + "/send", std::string(1, '\0'))));
  EXPECT_TRUE(is_empty_body(client.post(q + "/send", " \n")));
}

TEST_P(sends, S7_a_number_beyond_a_double_is_an_argument_error) {
  EXPECT_TRUE(is_illegal(client.post(q + "/send", "1e400")));
  EXPECT_TRUE(is_illegal(client.post(q + "/send", R"({"a":[-1e400]})")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(sends, S8_a_message_may_have_30720_bytes) {
  client.send(q, of_size(30720));
  EXPECT_TRUE(is_illegal_exactly(client.post(q + "/send", of_size(30721)),
                                 too_large(30721)));
  EXPECT_EQ(client.size(q), 1);
}

TEST_P(sends, S9_bytes_are_counted_and_not_characters) {
  std::string text = "\"";
  for (int i = 0; i < 20'000; ++i)
    text += "\xc3\xa4";
  EXPECT_TRUE(is_illegal_exactly(client.post(q + "/send", text + '"'),
                                 too_large(40'002)));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(sends, S10_white_space_does_not_count) {
  const std::string blanks(40'000, ' ');
  client.send(q, "{ \"a\" :" + blanks + "1 }");
  const auto found = client.poll(q);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].payload, R"({"a":1})");
}

TEST_P(sends, S11_another_content_type_is_415) {
  for (const char* type :
       {"Content-Type:", "Content-Type: text/plain",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Type: application/jsonp"})
    EXPECT_TRUE(has_status(client.call("POST", q + "/send", {type}, "1"), 415))
      << type;
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(sends, S12_a_charset_or_other_case_is_fine) {
  for (const char* type :
       {"Content-Type: application/json; charset=utf-8",
        "Content-Type: application/json;charset=UTF-8",
        "Content-Type: Application/JSON"})
    EXPECT_TRUE(is_ok(client.call("POST", q + "/send", {type}, "1"))) << type;
}

TEST_P(sends, what_follows_the_value_is_ignored_and_so_is_a_byte_order_mark) {
  client.send(q, "1 rubbish");
  EXPECT_EQ(client.poll(q).at(0).payload, "1");
  const auto other = fresh();
  client.send(other, "\xef\xbb\xbf{\"a\":1}");
  EXPECT_EQ(client.poll(other).at(0).payload, R"({"a":1})");
}

TEST_P(sends, a_message_may_be_nested_as_deep_as_it_is_long_or_is_refused) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(is_ok(client.post(q + "/send", nested(500))));
  for (const std::size_t depth : {15'000u, 1'000'000u}) {
    const auto x = client.post(q + "/send", nested(depth));
    EXPECT_TRUE(x.status == 200 || x.status == 400) << depth << ' ' << x;
  }
  EXPECT_TRUE(is_json(client.get(q + "/size")));
}

TEST_P(sends, a_thousand_of_the_largest_messages_are_one_poll) {
  for (int i = 0; i < 10; ++i) {
    std::vector<std::string> batch;
    for (int n = 0; n < 100; ++n)
      batch.push_back('"' + std::to_string(1000 + i * 100 + n)
                      + of_size(30'716).substr(1));
    client.send_all(q, batch);
  }
  const auto x = client.get(q + "/poll?ttl=300&limit=1000");
  EXPECT_EQ(x.status, 200u);
  EXPECT_GT(x.body.size(), 30'000'000u);
  EXPECT_EQ(x.document().size(), 1000u);
  EXPECT_TRUE(is_ok(client.remove(q)));
}

// -- sendbatch ----------------------------------------------------------------

TEST_P(batches, B1_a_batch_is_counted_and_peeked_in_order) {
  const auto sent = numbered(10);
  client.send_all(q, sent);
  EXPECT_EQ(client.size(q), 10);
  const auto found = client.peek(q, 10);
  ASSERT_EQ(found.size(), 10u);
  for (std::size_t i = 0; i < sent.size(); ++i)
    EXPECT_EQ(found[i].payload, sent[i]);
}

TEST_P(batches, B2_values_of_any_kind_are_messages) {
  EXPECT_TRUE(is_ok(client.post(q + "/sendbatch", R"(["json-message",1234])")));
  EXPECT_EQ(payloads_of(client.poll(q)),
            (std::vector<std::string>{R"("json-message")", "1234"}));
}

TEST_P(batches, B3_a_batch_of_nothing_is_fine) {
  EXPECT_TRUE(is_ok(client.post(q + "/sendbatch", "[]")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(batches, B4_a_batch_is_an_array) {
  for (const char* text : {R"({"a":1})", R"("x")", "7", "[1", "[1,]", "{bad"})
    EXPECT_TRUE(is_bad_json(client.post(q + "/sendbatch", text))) << text;
  EXPECT_TRUE(is_empty_body(client.post(q + "/sendbatch", "null")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(batches, B5_null_is_a_message_of_a_batch) {
  EXPECT_TRUE(is_ok(client.post(q + "/sendbatch", R"([1,null,{"k":[]}])")));
  EXPECT_EQ(payloads_of(client.poll(q)),
            (std::vector<std::string>{"1", "null", R"({"k":[]})"}));
}

TEST_P(batches, B2_the_internal_name_of_the_route_works_too) {
  EXPECT_TRUE(is_ok(client.post(q + "/sendbatch1", "[1,2]")));
  EXPECT_EQ(client.size(q), 2);
}

TEST_P(batches, B6_one_message_too_large_refuses_the_batch) {
  const auto batch = "[1," + of_size(30721) + ",2]";
  EXPECT_TRUE(is_illegal_exactly(client.post(q + "/sendbatch", batch),
                                 too_large(30721)));
  EXPECT_TRUE(is_illegal(client.post(q + "/sendbatch", "[1,1e400]")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(batches, without_room_for_all_are_refused_and_not_stored) {
  const auto other = fresh();
  const auto dedup = client.base().starts_with("/dedupq");
  client.send(q, "0");
  shared_engine().ctl({"queue", "set", (dedup ? "dedupq/" : "") + q,
                       "--pending-limit", "3"});
  EXPECT_TRUE(is_unavailable(client.post(q + "/sendbatch", "[1,2,3]")));
  EXPECT_TRUE(is_unavailable(client.post(
    "_sendbatch", R"({")" + other + R"(":[1],")" + q + R"(":[1,2,3]})")));
  EXPECT_EQ(client.size(q), 1);
  EXPECT_EQ(client.size(other), 0);
  EXPECT_TRUE(is_ok(client.post(q + "/sendbatch", "[1,2]")));
  EXPECT_EQ(client.size(q), 3);
}

// -- _sendbatch ---------------------------------------------------------------

TEST_P(batches_for_many, M1_every_queue_gets_its_messages) {
  const std::string names[] = {fresh(), fresh(), fresh()};
  const std::vector<std::string> sent[] = {numbered(1), numbered(2, 10),
                                           numbered(3, 20)};
  std::string body = "{";
  for (int i = 0; i < 3; ++i)
    body += (i > 0 ? ",\"" : "\"") + names[i] + "\":" + array_of(sent[i]);
  EXPECT_TRUE(is_ok(client.post("_sendbatch", body + "}")));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.size(names[i]), i + 1);
    EXPECT_EQ(payloads_of(client.poll(names[i])), sent[i]);
  }
}

TEST_P(batches_for_many, M2_values_of_any_kind_are_messages) {
  const auto other = fresh();
  EXPECT_TRUE(is_ok(client.post(
    "_sendbatch", R"({")" + q + R"(":["json-message",1234],")" + other
                    + R"(":[true,{"key":"value"}]})")));
  EXPECT_EQ(payloads_of(client.poll(q)),
            (std::vector<std::string>{R"("json-message")", "1234"}));
  EXPECT_EQ(payloads_of(client.poll(other)),
            (std::vector<std::string>{"true", R"({"key":"value"})"}));
}

TEST_P(batches_for_many, M3_nothing_may_be_sent) {
  EXPECT_TRUE(is_ok(client.post("_sendbatch", "{}")));
  EXPECT_TRUE(is_ok(client.post("_sendbatch", R"({")" + q + R"(":[]})")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(batches_for_many, M4_the_batch_is_an_object_of_arrays) {
  const auto mine = "{\"" + q + "\":";
  for (const auto& text :
       {std::string{"[1]"}, std::string{"\"x\""}, mine + "7}", mine + "{}}",
        mine + "[1],\"" + fresh() + "\":\"x\"}", mine + "[1]", mine + "[1,}"})
    EXPECT_TRUE(is_bad_json(client.post("_sendbatch", text))) << text;
  EXPECT_TRUE(is_empty_body(client.post("_sendbatch", "null")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(batches_for_many, M5_null_for_a_queue_is_an_argument_error) {
  EXPECT_TRUE(
    is_illegal(client.post("_sendbatch", R"({")" + q + R"(":null})")));
  const auto other = fresh();
  EXPECT_TRUE(is_illegal(client.post(
    "_sendbatch", R"({")" + q + R"(":[1],")" + other + R"(":null})")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(batches_for_many, M6_one_illegal_name_refuses_everything) {
  const auto other = fresh();
  EXPECT_TRUE(is_illegal(client.post("_sendbatch",
                                     R"({")" + q + R"(":[1],"BAD":[2],")"
                                       + other + R"(":[3]})"),
                         "Queue name must be"));
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.size(other), 0);
}

TEST_P(batches_for_many, one_message_too_large_refuses_everything) {
  const auto other = fresh();
  EXPECT_TRUE(is_illegal_exactly(
    client.post("_sendbatch", R"({")" + q + R"(":[1],")" + other + R"(":[)"
                                + of_size(30721) + "]}"),
    too_large(30721)));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(batches_for_many, of_a_queue_named_twice_the_last_list_counts) {
  const auto mine = "\"" + q + "\":";
  EXPECT_TRUE(is_ok(
    client.post("_sendbatch", "{" + mine + "[1,2]," + mine + "[3]}")));
  EXPECT_EQ(payloads_of(client.poll(q)), std::vector<std::string>{"3"});
}
