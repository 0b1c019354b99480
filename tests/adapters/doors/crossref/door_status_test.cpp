// Rows 20 to 35 of the case table: what became of it.

#include "messages/records.hpp"
#include "tests/adapters/doors/crossref/door_world.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

class crossref_polls : public door_world {
protected:
  const std::string xml = a_deposit().with_article("10.5555/a").text();

  void set_status(submission_status x) {
    const std::lock_guard lock{engine->guard};
    engine->rows.back().status = x;
  }
};

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t out = 0;
  for (auto at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++out;
  return out;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

/// Without blanks between elements.
std::string packed(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n'
        || (text[i] == ' ' && !out.empty() && out.back() == '>'))
      continue;
    out += text[i];
  }
  return out;
}

} // namespace

TEST_F(crossref_polls, row_20_an_unknown_name_is_200_unknown_submission) {
  start();
  const auto x = poll("type=result&file_name=nothing.xml");
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.header("content-type"), "text/xml;charset=UTF-8");
  EXPECT_TRUE(
    has(x.body, "<doi_batch_diagnostic status=\"unknown_submission\""));
  EXPECT_TRUE(has(packed(x.body), "<submission_id>0</submission_id>"
                                  "<batch_id />"))
    << x.body;
}

TEST_F(crossref_polls, row_21_a_waiting_deposit_is_queued) {
  start();
  deposit("f.xml", xml);
  const auto x = poll("type=result&file_name=f.xml");
  EXPECT_EQ(x.status, 200u);
  EXPECT_TRUE(has(x.body, "<doi_batch_diagnostic status=\"queued\""));
  EXPECT_TRUE(has(packed(x.body), "<submission_id>" + std::to_string(last().id)
                                    + "</submission_id><batch_id />"))
    << x.body;
}

TEST_F(crossref_polls, row_22_a_running_deposit_is_in_process) {
  start();
  deposit("f.xml", xml);
  set_status(submission_status::in_process);
  const auto x = poll("type=result&file_name=f.xml");
  EXPECT_EQ(x.status, 200u);
  EXPECT_TRUE(has(x.body, "<doi_batch_diagnostic status=\"in_process\""));
}

TEST_F(crossref_polls, row_23_a_batch_id_is_unknown_before_parsing) {
  start();
  deposit("f.xml", xml);
  EXPECT_TRUE(has(poll("type=result&doi_batch_id=batch-1").body,
                  "status=\"unknown_submission\""));
  process_all();
  EXPECT_TRUE(
    has(poll("type=result&doi_batch_id=batch-1").body, "status=\"completed\""));
}

TEST_F(crossref_polls, row_23_blanks_of_a_batch_id_count_as_in_the_file) {
  start();
  deposit("f.xml", a_deposit()
                     .with_batch_id("  of\n  May  ")
                     .with_article("10.5555/a")
                     .text());
  process_all();
  for (const auto* id : {"of+May", "++of%0A++May++", "of++May"})
    EXPECT_TRUE(has(poll("type=result&doi_batch_id=" + std::string{id}).body,
                    "<batch_id>of May</batch_id>"))
      << id;
}

TEST_F(crossref_polls, row_23_batch_ids_of_any_length_are_found) {
  start();
  std::string hundred; // as many characters as the schema allows
  std::string asked;
  for (int i = 0; i < 100; ++i) {
    hundred += "\xf0\x9f\x93\x9a";
    asked += "%F0%9F%93%9A";
  }
  const std::string very_long(500, 'x');
  for (const auto& [id, query] :
       {std::pair{hundred, asked}, {very_long, very_long},
        {"a\x7f b", "a%7F+b"}}) {
    deposit("f.xml",
            a_deposit().with_batch_id(id).with_article("10.5555/a").text());
    process_all();
    EXPECT_TRUE(has(poll("type=result&doi_batch_id=" + query).body,
                    "status=\"completed\""))
      << id;
  }
}

TEST_F(crossref_polls, row_24_success_says_added_or_updated) {
  start();
  const auto added = result_of("1.xml", xml);
  EXPECT_TRUE(has(added, "<doi_batch_diagnostic status=\"completed\" sp=\""));
  EXPECT_TRUE(has(added, "<batch_id>batch-1</batch_id>"));
  EXPECT_TRUE(has(added, "<record_diagnostic status=\"Success\">"));
  EXPECT_TRUE(has(added, "<doi>10.5555/a</doi>"));
  EXPECT_TRUE(has(added, "<msg>Successfully added</msg>"));
  EXPECT_TRUE(has(added, "<failure_count>0</failure_count>"));
  const auto updated = result_of("2.xml", a_deposit()
                                            .with_timestamp("20250101000000")
                                            .with_article("10.5555/a")
                                            .text());
  EXPECT_TRUE(has(updated, "<msg>Successfully updated</msg>"));
}

TEST_F(crossref_polls, row_25_a_bad_file_is_one_record_without_a_doi) {
  start();
  const auto x = packed(result_of("f.xml", "not XML"));
  EXPECT_EQ(times(x, "<record_diagnostic"), 1u);
  EXPECT_TRUE(has(x, "<record_diagnostic status=\"Failure\"><doi />")) << x;
  EXPECT_TRUE(has(x, "<record_count>1</record_count>"
                     "<success_count>0</success_count>"
                     "<warning_count>0</warning_count>"
                     "<failure_count>1</failure_count>"))
    << x;
}

TEST_F(crossref_polls, row_26_a_mixed_batch_tells_each_record) {
  add_account("psychoceramics",
              engine->control.accounts["psychoceramics"].password_hash,
              {"10.5555"});
  start();
  const auto x = packed(result_of("f.xml", a_deposit()
                                             .with_article("10.5555/mine")
                                             .with_article("10.6666/theirs")
                                             .text()));
  EXPECT_EQ(times(x, "<record_diagnostic status=\"Success\">"), 1u) << x;
  EXPECT_EQ(times(x, "<record_diagnostic status=\"Failure\">"), 1u) << x;
  EXPECT_TRUE(has(x, "<record_count>2</record_count>"
                     "<success_count>1</success_count>"
                     "<warning_count>0</warning_count>"
                     "<failure_count>1</failure_count>"));
}

TEST_F(crossref_polls, row_27_an_old_timestamp_fails_with_message_4) {
  start();
  result_of("1.xml", xml);
  const auto x = result_of("2.xml", xml);
  EXPECT_TRUE(has(x, "<record_diagnostic status=\"Failure\" msg_id=\"4\">"));
  EXPECT_TRUE(has(x, "is less or equal to previously submitted version (DOI "
                     "match)"));
}

TEST_F(crossref_polls, row_28_a_conflict_reaches_the_poller_unchanged) {
  start();
  deposit("f.xml", xml);
  const std::string document =
    "<doi_batch_diagnostic status=\"completed\" sp=\"x\"><record_diagnostic "
    "status=\"Warning\"><doi>10.5555/a</doi><msg>Added with conflict</msg>"
    "<conflict_id>7</conflict_id><dois_in_conflict><doi>10.5555/b</doi>"
    "</dois_in_conflict></record_diagnostic></doi_batch_diagnostic>";
  {
    const std::lock_guard lock{engine->guard};
    engine->rows.back().status = submission_status::completed;
    engine->rows.back().document = document;
  }
  EXPECT_EQ(poll("type=result&file_name=f.xml").body, document);
}

TEST_F(crossref_polls, row_29_a_foreign_prefix_fails_a_relation_does_not) {
  add_account("psychoceramics",
              engine->control.accounts["psychoceramics"].password_hash,
              {"10.5555"});
  start();
  const auto foreign =
    result_of("1.xml", a_deposit().with_article("10.6666/theirs").text());
  EXPECT_TRUE(has(foreign, "status=\"Failure\""));
  EXPECT_TRUE(
    has(foreign, "User not allowed to add records for prefix: 10.6666"));
  auto related = xml;
  related.insert(related.find("<doi_data>"),
                 "<program xmlns=\"http://www.crossref.org/relations.xsd\">"
                 "<related_item><intra_work_relation relationship-type="
                 "\"isVersionOf\" identifier-type=\"doi\">10.7777/unknown"
                 "</intra_work_relation></related_item></program>");
  const auto x = result_of("2.xml", related);
  EXPECT_TRUE(has(x, "<failure_count>0</failure_count>")) << x;
}

TEST_F(crossref_polls, row_30_references_are_told_one_by_one) {
  start();
  auto cited = xml;
  cited.insert(cited.find("</doi_data>") + 11,
               "<citation_list><citation key=\"r1\"><doi>10.5555/z</doi>"
               "</citation><citation key=\"r2\"><unstructured_citation>Some"
               "</unstructured_citation></citation></citation_list>");
  const auto x = result_of("f.xml", cited);
  EXPECT_TRUE(has(x, "<citations_diagnostic>")) << x;
  EXPECT_TRUE(has(x, "<citation key=\"r1\" status=\"resolved_reference\">"));
  EXPECT_TRUE(has(x, "<citation key=\"r2\" status=\"stored_query\""));
}

TEST_F(crossref_polls, row_31_a_doi_named_twice_is_one_record) {
  start();
  const auto x = result_of("f.xml", a_deposit()
                                      .with_article("10.5555/Twice")
                                      .with_article("10.5555/tWICE")
                                      .text());
  EXPECT_EQ(times(x, "<record_diagnostic"), 1u) << x;
}

TEST_F(crossref_polls, row_32_contents_are_the_original_bytes) {
  start();
  const std::string bytes{"\xef\xbb\xbf<a>\r\n\0\xff", 9};
  deposit("f.xml", bytes);
  const auto x = poll("type=contents&file_name=f.xml");
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.body, bytes);
  EXPECT_EQ(poll("type=contents&file_name=nothing").status, 404u);
  EXPECT_EQ(engine->rows.back().submission.blob, "") << "came with its item";
}

TEST_F(crossref_polls, row_32_contents_of_a_large_file_are_in_the_blob_store) {
  start();
  const auto bytes = std::string(inline_submission_bytes_max + 1, 'x');
  deposit("f.xml", bytes);
  EXPECT_NE(engine->rows.back().submission.blob, "");
  EXPECT_EQ(poll("type=contents&file_name=f.xml").body, bytes);
  deposit("g.xml", std::string(inline_submission_bytes_max, 'y'));
  EXPECT_EQ(engine->rows.back().submission.blob, "");
}

// As of one that came by Kafka: whoever wrote the record has it.
TEST_F(crossref_polls, row_32_contents_that_are_not_kept_are_404) {
  start();
  deposit("f.xml", xml);
  {
    const std::lock_guard lock{engine->guard};
    engine->rows.back().contents.clear();
  }
  const auto x = poll("type=contents&file_name=f.xml");
  EXPECT_EQ(x.status, 404u);
  EXPECT_EQ(x.header("retry-after"), "");
  EXPECT_EQ(poll("type=result&file_name=f.xml").status, 200u);
}

// Somebody may be logged in at this door, and be led here by a link.
TEST_F(crossref_polls, row_32_no_browser_runs_what_was_deposited) {
  start();
  for (const auto bytes : {std::size_t{10}, inline_submission_bytes_max + 1}) {
    const auto name = std::to_string(bytes) + ".xml";
    deposit(name, std::string(bytes, 'x'));
    const auto x = poll("type=contents&file_name=" + name);
    EXPECT_EQ(x.header("content-security-policy"),
              "default-src 'none'; sandbox");
    EXPECT_EQ(x.header("x-content-type-options"), "nosniff");
    EXPECT_EQ(x.header("content-disposition"), "attachment");
  }
}

TEST_F(crossref_polls, row_35_a_number_is_nobody_elses) {
  start();
  deposit("f.xml", xml);
  deposit("f.xml", xml);
  const auto second = std::to_string(last().id);
  for (const std::string more : {"&file_name=f.xml", "&doi_batch_id=none"})
    EXPECT_TRUE(has(poll("type=result&submission_id=" + second + more).body,
                    "<submission_id>" + second + "<"));
}

TEST_F(crossref_polls, row_33_a_poll_may_be_a_form) {
  start();
  deposit("f.xml", xml);
  const std::string target = "/servlet/submissionDownload";
  const auto urlencoded =
    post_urlencoded(target, "usr=psychoceramics&pwd=" + secret
                              + "&type=result&file_name=f.xml");
  EXPECT_TRUE(has(urlencoded.body, "status=\"queued\""));
  const auto multipart = post_form(target, form_text{}
                                             .field("usr", "psychoceramics")
                                             .field("pwd", secret)
                                             .field("type", "result")
                                             .field("file_name", "f.xml")
                                             .closed());
  EXPECT_TRUE(has(multipart.body, "status=\"queued\""));
  const auto mixed =
    post_urlencoded(target + "?type=result&file_name=f.xml",
                    "login_id=psychoceramics&login_passwd=" + secret);
  EXPECT_TRUE(has(mixed.body, "status=\"queued\""));
}

TEST_F(crossref_polls, row_34_a_bad_login_is_401_and_no_login_too) {
  start();
  const auto get = [&](const std::string& query) {
    return ask("GET /servlet/submissionDownload?" + query
               + " HTTP/1.1\r\nHost: a\r\n\r\n");
  };
  const auto wrong = get("usr=psychoceramics&pwd=wrong&type=result"
                         "&file_name=f");
  EXPECT_EQ(wrong.status, 401u);
  EXPECT_TRUE(has(wrong.body, "Wrong credentials"));
  const auto none = get("type=result&file_name=f");
  EXPECT_EQ(none.status, 401u);
  EXPECT_TRUE(has(none.body, "No login info in request"));
}

TEST_F(crossref_polls, row_35_the_first_of_two_equal_names_is_found) {
  start();
  deposit("f.xml", xml);
  const auto first = last().id;
  deposit("f.xml", xml);
  EXPECT_TRUE(has(poll("type=result&file_name=f.xml").body,
                  "<submission_id>" + std::to_string(first) + "<"));
}

TEST_F(crossref_polls, row_35_or_the_newest_if_so_configured) {
  start({.newest_first = true});
  deposit("f.xml", xml);
  deposit("f.xml", xml);
  EXPECT_TRUE(has(poll("type=result&file_name=f.xml").body,
                  "<submission_id>" + std::to_string(last().id) + "<"));
}

TEST_F(crossref_polls, users_see_only_their_own) {
  start();
  deposit("f.xml", xml);
  EXPECT_TRUE(has(poll("type=result&file_name=f.xml", "other").body,
                  "status=\"unknown_submission\""));
  const auto id = "type=result&submission_id=" + std::to_string(last().id);
  EXPECT_TRUE(has(poll(id).body, "status=\"queued\""));
  EXPECT_TRUE(has(poll(id, "other").body, "status=\"unknown_submission\""));
  EXPECT_EQ(poll("type=contents&file_name=f.xml", "other").status, 404u);
}

TEST_F(crossref_polls, a_poll_that_asks_nothing_is_400) {
  start();
  EXPECT_EQ(poll("file_name=f.xml").status, 400u);
  EXPECT_EQ(poll("type=everything&file_name=f.xml").status, 400u);
  EXPECT_EQ(poll("type=result").status, 400u);
  EXPECT_EQ(poll("type=result&submission_id=-1").status, 400u);
  EXPECT_EQ(poll("type=result&submission_id=1x").status, 400u);
}

TEST_F(crossref_polls, a_failed_read_model_is_503_not_unknown) {
  start();
  deposit("f.xml", xml);
  {
    const std::lock_guard lock{engine->guard};
    engine->look_fails = ec::store_failed;
  }
  EXPECT_EQ(poll("type=result&file_name=f.xml").status, 503u);
}

TEST_F(crossref_polls, a_submission_that_ended_without_a_document_has_one) {
  start();
  deposit("f.xml", xml);
  {
    const std::lock_guard lock{engine->guard};
    auto& row = engine->rows.back();
    row.status = submission_status::completed;
    row.failed = true;
    row.reason = "attempts <exhausted>";
  }
  const auto x = poll("type=result&file_name=f.xml").body;
  EXPECT_TRUE(has(x, "status=\"completed\""));
  EXPECT_TRUE(has(x, "attempts &lt;exhausted&gt;")) << x;
}
