// Files come in, and their owner sees what becomes of them.

#include "tests/adapters/doors/deposits/page_world.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

class deposits_files : public page_world {
protected:
  const std::string xml = a_deposit().with_article("10.5555/a").text();
};

} // namespace

TEST_F(deposits_files, a_body_is_a_file) {
  open();
  const auto x =
    upload(log_in(), xml, "?file_name=a%20b.xml&operation=doMDUpload");
  ASSERT_EQ(x.status, 200u) << x.body;
  const auto row = last();
  EXPECT_EQ(document(x)["id"], row.id);
  EXPECT_EQ(row.user, "psychoceramics");
  EXPECT_EQ(row.submission.file_name, "a b.xml");
  EXPECT_EQ(row.submission.operation, "doMDUpload");
  EXPECT_EQ(bytes_of(row), xml);
}

TEST_F(deposits_files, what_nobody_reads_takes_no_memory_from_others) {
  open();
  // The page's own files are short.
  EXPECT_EQ(kept_answers,
            (std::vector<std::string>{"GET /deposits",
                                      "GET /deposits/page/{file}"}));
}

TEST_F(deposits_files, so_is_the_file_of_a_form) {
  open();
  const auto form = form_text{}
                      .field("operation", "doQueryUpload")
                      .file("fname", "b.xml", xml)
                      .closed();
  const auto x =
    change(log_in(), "POST", "/api/upload", form,
           "Content-Type: multipart/form-data; boundary=xYzZY\r\n");
  ASSERT_EQ(x.status, 200u) << x.body;
  EXPECT_EQ(last().submission.file_name, "b.xml");
  EXPECT_EQ(last().queue, "query");
  EXPECT_EQ(bytes_of(last()), xml);
}

TEST_F(deposits_files, of_several_in_a_form_none_is_dropped_in_silence) {
  open();
  const auto form = form_text{}
                      .file("fname", "a.xml", xml)
                      .file("fname", "b.xml", xml)
                      .closed();
  const auto x =
    change(log_in(), "POST", "/api/upload", form,
           "Content-Type: multipart/form-data; boundary=xYzZY\r\n");
  EXPECT_EQ(x.status, 400u) << x.body;
  EXPECT_EQ(count(), 0u);
}

TEST_F(deposits_files, what_the_server_refuses_is_said_in_the_doors_form) {
  open({.body_bytes_max = 1'000});
  const auto said = [&](const raw_answer& x) {
    EXPECT_EQ(x.header("content-type"), "application/json");
    const auto what = document(x);
    EXPECT_FALSE(what["text"].get<std::string>().empty());
    return std::to_string(x.status) + ' ' + what["error"].get<std::string>();
  };
  const auto who = log_in();
  EXPECT_EQ(said(upload(who, std::string(100'000, 'x'))), "413 too_large");
  EXPECT_EQ(said(ask(text("PUT", "/session"))), "405 not_allowed");
  EXPECT_EQ(said(ask(text("GET", "/api/nothing"))), "404 not_found");
  const auto elsewhere = ask(text("GET", "andmore"));
  EXPECT_EQ(elsewhere.status, 404u);
  EXPECT_EQ(elsewhere.body, "There is nothing here.\n");
}

TEST_F(deposits_files, bad_ones_are_refused) {
  open({.body_bytes_max = 1'000});
  const auto who = log_in();
  EXPECT_EQ(upload(who, "", "?file_name=a").status, 400u);
  EXPECT_EQ(upload(who, "x", "").status, 400u);
  EXPECT_EQ(upload(who, "x", "?file_name=a&operation=doNothing").status, 400u);
  EXPECT_EQ(
    upload(who, "x", "?file_name=" + std::string(file_name_bytes_max + 1, 'a'))
      .status,
    400u);
  EXPECT_EQ(upload(who, std::string(1'001, 'x')).status, 413u);
  EXPECT_EQ(upload(who, std::string(100'000, 'x')).status, 413u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(deposits_files, a_full_queue_is_said_and_nothing_lost) {
  engine->pending_limit = 1;
  open();
  const auto who = log_in();
  EXPECT_EQ(upload(who, xml).status, 200u);
  const auto x = upload(who, xml);
  EXPECT_EQ(x.status, 429u);
  EXPECT_NE(x.header("retry-after"), "");
  EXPECT_EQ(count(), 1u);
}

TEST_F(deposits_files, what_the_engine_did_not_take_is_not_acknowledged) {
  engine->submit_fails = ec::draining;
  open();
  EXPECT_EQ(upload(log_in(), xml).status, 503u);
}

TEST_F(deposits_files, everybody_sees_their_own_only) {
  open();
  const auto ann = log_in();
  const auto bob = log_in("other");
  const auto id = document(upload(ann, xml))["id"].get<std::uint64_t>();
  const auto target = "/api/submissions/" + std::to_string(id);
  EXPECT_EQ(document(get(ann, "/api/mine"))["submissions"].size(), 1u);
  EXPECT_EQ(document(get(bob, "/api/mine"))["submissions"].size(), 0u);
  EXPECT_EQ(get(ann, target).status, 200u);
  EXPECT_EQ(get(bob, target).status, 404u);
  EXPECT_EQ(get(bob, target).body, get(bob, "/api/submissions/77").body);
  for (const auto* none : {"0", "x", "-1", "99999999999999999999999"})
    EXPECT_EQ(get(ann, std::string{"/api/submissions/"} + none).status, 404u);
}

TEST_F(deposits_files, a_result_comes_with_its_submission) {
  open();
  const auto who = log_in();
  const auto id = document(upload(who, xml))["id"].get<std::uint64_t>();
  const auto target = "/api/submissions/" + std::to_string(id);
  const auto waiting = get(who, target);
  EXPECT_EQ(document(waiting)["status"], "queued");
  EXPECT_EQ(document(waiting)["document"], "");
  process_all();
  const auto over = document(get(who, target));
  EXPECT_EQ(over["status"], "completed");
  EXPECT_NE(over["document"].get<std::string>().find("doi_batch_diagnostic"),
            std::string::npos);
}

TEST_F(deposits_files, a_list_has_pages) {
  open();
  const auto who = log_in();
  for (std::uint32_t i = 0; i < deposits::page_rows + 1; ++i) {
    submission_row row;
    row.user = "psychoceramics";
    engine->add(row);
  }
  const auto first = document(get(who, "/api/mine"));
  EXPECT_EQ(first["submissions"].size(), deposits::page_rows);
  const auto next = first["next"].get<std::string>();
  const auto second = document(get(who, "/api/mine?after=" + next));
  EXPECT_EQ(second["submissions"].size(), 1u);
  EXPECT_FALSE(second.contains("next"));
  for (const auto* bad : {"", "x", "1,2", "-1"})
    EXPECT_EQ(get(who, std::string{"/api/mine?after="} + bad).status, 400u);
}

TEST_F(deposits_files, what_has_not_changed_is_not_sent_again) {
  open();
  const auto who = log_in();
  const auto first = get(who, "/api/mine");
  const auto known = "If-None-Match: " + first.header("etag") + "\r\n";
  const auto again = get(who, "/api/mine", known);
  EXPECT_EQ(again.status, 304u);
  EXPECT_EQ(again.body, "");
  upload(who, xml);
  EXPECT_EQ(get(who, "/api/mine", known).status, 200u);
}

TEST_F(deposits_files, names_with_markup_stay_text) {
  open();
  const auto who = log_in();
  upload(who, xml, "?file_name=%3Cscript%3E%FF.xml");
  const auto x = get(who, "/api/mine");
  EXPECT_EQ(x.header("content-type"), "application/json");
  EXPECT_EQ(x.header("x-content-type-options"), "nosniff");
  EXPECT_FALSE(document(x).is_discarded());
}

TEST_F(deposits_files, the_place_is_that_of_whoever_asks) {
  open();
  const auto x = document(get(log_in(), "/api/place?user=other"));
  EXPECT_EQ(x["asked"], "user place");
  EXPECT_EQ(x["with"], nlohmann::json({{"name", "psychoceramics"}}));
}

TEST_F(deposits_files, manifests_are_checked) {
  open();
  const auto who = log_in();
  EXPECT_EQ(change(who, "POST", "/api/check", "x").body, "checked x");
  EXPECT_EQ(change(who, "POST", "/api/check").status, 400u);
}

TEST_F(deposits_files, the_page_runs_nothing_but_its_own_files) {
  open();
  const auto page = ask(text("GET", ""));
  EXPECT_EQ(page.status, 200u);
  EXPECT_NE(page.header("content-security-policy").find("default-src 'none'"),
            std::string::npos);
  EXPECT_EQ(page.body.find(" style="), std::string::npos);
  EXPECT_EQ(page.body.find("<script>"), std::string::npos);
  for (const auto* name : {"style.css", "main.js", "api.js", "dom.js",
                           "upload.js", "list.js", "detail.js", "check.js"})
    EXPECT_EQ(ask(text("GET", std::string{"/page/"} + name)).status, 200u);
  const auto none = ask(text("GET", "/page/..%2fCMakeLists.txt"));
  EXPECT_EQ(none.status, 404u);
  EXPECT_EQ(none.header("content-type"), "application/json");
  EXPECT_NE(none.body.find("not_found"), std::string::npos) << none.body;
  EXPECT_EQ(
    ask(text("GET", "", "If-None-Match: " + page.header("etag") + "\r\n"))
      .status,
    304u);
}
