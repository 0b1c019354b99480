#include "adapters/shell/rendering.hpp"
#include "adapters/shell/table.hpp"

#include "actors/operators/command.hpp"

#include <gtest/gtest.h>

namespace depositd::shell {
namespace {

/// By the view of the engine's own row.
std::string rendered(const std::string& command, const std::string& document) {
  const auto found = operators::find_command(command);
  return shell::rendered(found ? found->row.view : std::vector<view_block>{},
                         document);
}

TEST(escaping, shows_what_would_steer_a_terminal) {
  EXPECT_EQ(escaped("plain äöü 漢字"), "plain äöü 漢字");
  EXPECT_EQ(escaped("a\x1b[31m\r\n\t\x7f"), "a\\x1b[31m\\r\\n\\t\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\x9b31m");
  EXPECT_EQ(escaped("\xe2\x80\xae"
                    "cod"),
            "\\u{202e}cod");
  EXPECT_EQ(escaped(std::string_view{"\0x", 2}), "\\x00x");
}

TEST(escaping, shows_bytes_that_are_no_utf8) {
  EXPECT_EQ(escaped("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(escaped("\xc0\x80"), "\\xc0\\x80");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(escaped("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(tables, line_up_with_numbers_to_the_right) {
  EXPECT_EQ(table({"NAME", ">N"}, {{"ä", "7"}, {"longer", "1234"}}),
            "NAME       N\n"
            "ä          7\n"
            "longer  1234\n");
}

TEST(escaping, ends_where_there_is_no_more_room) {
  EXPECT_EQ(escaped("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(escaped("abcdefghi", 8), "abcde...");
  EXPECT_EQ(escaped("äöüäöüäöü", 8), "äöüäö...");
  EXPECT_EQ(escaped("abcd\x1b\x1b", 8), "abcd...");
}

TEST(tables, shorten_what_somebody_has_made_long) {
  const auto out = table({"NAME", "N"}, {{std::string(8 << 20, 'x'), "7"}});
  EXPECT_LT(out.size(), 1'000u);
  EXPECT_NE(out.find("xxx...  7\n"), std::string::npos);
}

TEST(rendering, topics_show_what_was_made) {
  EXPECT_EQ(rendered("kafka init",
                     R"({"topics":[{"topic":"in","partitions":8,)"
                     R"("existed":false},{"topic":"dead","partitions":16,)"
                     R"("existed":true}]})"),
            "TOPIC  PARTITIONS  WAS THERE\n"
            "in              8  no\n"
            "dead           16  yes\n");
}

TEST(rendering, shards_show_who_has_them) {
  EXPECT_EQ(rendered("shards",
                     R"({"shards":[{"shard":0,"engine":"a","address":)"
                     R"("h:1","epoch":3,"left_ms":900},{"shard":1,)"
                     R"("engine":"","address":"","epoch":2,"left_ms":0}],)"
                     R"("engines":[{"engine":"a","address":"h:1",)"
                     R"("left_ms":900,"reaches_logs":false}]})"),
            "SHARD  ENGINE  ADDRESS  EPOCH  LEFT MS\n"
            "    0  a       h:1          3      900\n"
            "    1                       2        0\n"
            "\n"
            "ENGINE  ADDRESS  LEFT MS  REACHES LOGS\n"
            "a       h:1          900  no\n");
}

TEST(rendering, queues_show_caps_as_words) {
  const auto out =
    rendered("queue list",
             R"({"suspended":true,"queues":[{"name":"loose","kind":"message",
        "suspended":false,"ready":3,"in_flight":1,"users":2,
        "eligible_users":1,"processors":0,"allocation":1,"concurrency":null,
        "pending_limit":null}]})");
  EXPECT_NE(out.find("the server is suspended"), std::string::npos);
  EXPECT_NE(out.find("loose  message  open"), std::string::npos) << out;
  EXPECT_NE(out.find("none"), std::string::npos);
}

TEST(rendering, users_show_their_turn_in_every_queue) {
  const auto out =
    rendered("user list",
             R"({"total":9,"more":true,"next":"ann","users":[
        {"user":"ann","account":true,
        "held":true,"prohibited":false,"queues":[
        {"queue":"metadata","state":"eligible","turn":2,"turns":7,"ready":4,
         "in_flight":1,"turns_taken":10,"allocation":1,"concurrency":4},
        {"queue":"query","state":"at_cap","turn":null}]}]})");
  EXPECT_NE(out.find("ann   account,held  metadata  eligible   2/7"),
            std::string::npos)
    << out;
  EXPECT_NE(out.find("1 of 9 users; go on with --after ann"),
            std::string::npos);
}

TEST(rendering, a_page_says_how_to_go_on) {
  EXPECT_NE(rendered("user list", R"({"total":9,"next":"ann","users":[{}]})")
              .find("1 of 9 users; go on with --after ann"),
            std::string::npos);
  const auto out = rendered(
    "submission list", R"({"submissions":[{"id":9},{"id":8}],"next":"8"})");
  EXPECT_NE(out.find("2 shown; go on with --after 8\n"), std::string::npos)
    << out;
  EXPECT_EQ(rendered("submission list", R"({"submissions":[]})").find("shown"),
            std::string::npos);
}

TEST(rendering, submissions_show_the_state_that_matters) {
  const auto out = rendered("submission list", R"({"submissions":[
      {"id":1,"status":"queued","parked":true,"failed":false},
      {"id":2,"status":"completed","parked":false,"failed":true},
      {"id":3,"status":"completed","parked":false,"failed":false}]})");
  for (const auto state : {"parked", "failed", "completed"})
    EXPECT_NE(out.find(state), std::string::npos) << out;
}

TEST(rendering, logs_of_records_add_up_what_is_behind) {
  const auto out = rendered("status", R"({"record_logs":[{"shard":0,
      "intake":{"accepted":7,"rejected":1,"trouble":"",
                "partitions":[{"lag":3},{"lag":4}]},
      "publisher":{"events":5,"dead_letters":1,"trouble":"no broker"}}]})");
  EXPECT_NE(out.find("SHARD  TAKEN IN  REJECTED  BEHIND"), std::string::npos);
  EXPECT_NE(out.find("0             7         1       7          5"),
            std::string::npos)
    << out;
  EXPECT_NE(out.find("no broker\n"), std::string::npos);
}

TEST(rendering, a_processor_without_a_filter_leaves_out_nobody) {
  const auto out = rendered("sp list", R"({"processors":[
      {"name":"a","exclude_users":true,"user_filter":["x","y"]},
      {"name":"b","exclude_users":true,"user_filter":[]},
      {"name":"c","exclude_users":false,"user_filter":["z"]}]})");
  EXPECT_NE(out.find("not x,y"), std::string::npos) << out;
  EXPECT_EQ(out.find("not -"), std::string::npos) << out;
}

TEST(rendering, user_text_cannot_reach_the_terminal) {
  const auto evil = R"({"submissions":[{"id":1,"file_name":"\u001b]0;x\u0007",
      "user":"a\nb"}],"users":[{"user":"\u001b[2J"}],
      "document":"<a>\u001b[31m</a>","reasons":[{"text":"\u001b"}],
      "\u001b":"\u001b"})";
  for (const auto command :
       {"submission list", "submission show", "submission why", "user list",
        "user show", "status", "queue list", "queue peek", "sp list",
        "user hold", "whatever"})
    EXPECT_EQ(rendered(command, evil).find('\x1b'), std::string::npos)
      << command;
}

TEST(rendering, slots_are_shown_wherever_they_are) {
  const auto out = rendered("sp list", R"({"processors":[],"slots":[
      {"node":null,"processor":"p","slot":1,"queue":"q","state":"idle",
       "item":null,"user":null,"since":null},
      {"node":"n1","processor":"p","slot":2,"queue":"q","state":"busy",
       "item":7,"user":"ann","since":"2026-03-01T09:30:00Z"}],
      "nodes":[{"name":"n1","state":"joined"},
               {"name":"n2","state":"silent"}]})");
  EXPECT_NE(out.find("engine  p             1  q      idle"),
            std::string::npos)
    << out;
  EXPECT_NE(out.find("n1      p             2  q      busy       7  ann"),
            std::string::npos)
    << out;
  EXPECT_NE(out.find("n2      -             -  -      silent"),
            std::string::npos)
    << out;
}

TEST(rendering, objects_are_a_line_each_with_their_last_title) {
  EXPECT_EQ(rendered("object list",
                     R"({"objects":[{"identifier":"ark:/1/a",)"
                     R"("collection":"maps","owner":"ann",)"
                     R"("local_ids":["l1","l2"],"storage":["local"],)"
                     R"("versions":2,"bytes":30,"title":"A Map",)"
                     R"("recorded_at":"2026-03-01T09:30:00.000Z"}],)"
                     R"("next":"ark:/1/a"})"),
            "IDENTIFIER  COLLECTION  OWNER  LOCAL IDS  VERSIONS  BYTES  "
            "RECORDED              TITLE\n"
            "ark:/1/a    maps        ann    l1,l2             2     30  "
            "2026-03-01T09:30:00Z  A Map\n"
            "1 shown; go on with --after ark:/1/a\n");
}

TEST(rendering, a_month_is_a_table_or_a_file_for_spreadsheets) {
  const auto out = rendered("report month", R"({"month":"2026-11","lines":[
      {"collection":"maps","user":"bob","batches":2,"jobs":{"completed":6,
       "failed":2,"open":0,"deleted":0},"objects":2,"versions":3,"files":4,
       "bytes":100}],"total":{"batches":2,"versions":3,"bytes":100}})");
  EXPECT_EQ(out.find("COLLECTION  USER  BATCHES  COMPLETED  FAILED"), 0u)
    << out;
  EXPECT_NE(out.find("in all 2 batches, 3 versions, 100 bytes\n"),
            std::string::npos)
    << out;
  EXPECT_EQ(rendered("report month",
                     R"({"month":"2026-11","csv":"month,user\n2026-11,a\n"})"),
            "month,user\n2026-11,a\n");
}

TEST(rendering, a_table_for_a_file_cannot_steer_a_terminal) {
  EXPECT_EQ(rendered("source failed", R"({"name":"s","csv":"k\u001b[1m\n"})"),
            "k\\x1b[1m\n");
  EXPECT_EQ(rendered("source failed", R"({"name":"s","failed":[{"key":"k",
      "user":"u","error":"no","body":"{}"}]})"),
            "KEY  USER  ERROR  BODY\nk    u     no     {}\n");
}

TEST(rendering, a_document_keeps_its_lines) {
  EXPECT_EQ(rendered("submission show", R"({"id":1,"document":"<a>\n</a>\n"})"),
            "id: 1\ndocument:\n<a>\n</a>\n");
}

TEST(rendering, strange_documents_are_printed_all_the_same) {
  for (const auto command :
       {"status", "queue list", "user list", "user show", "sp list", "key list",
        "submission list", "submission show", "submission why", "queue peek",
        "user set"})
    for (const auto document :
         {"{}", "[]", "7", "", "nonsense", R"({"queues":7,"users":{}})",
          R"({"queues":[7,null],"users":[[]],"slots":"x","reasons":[1],
              "document":{"a":1},"limits":[0],"submissions":[""],
              "processors":[{"working":3}],"store":[],"more":true,
              "items":"x"})"})
      EXPECT_NO_THROW(rendered(command, document)) << command << document;
}

} // namespace
} // namespace depositd::shell
