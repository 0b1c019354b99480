// Forms that become batches.

#include "messages/values/work_documents.hpp"
#include "tests/adapters/doors/poster/poster_world.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

class poster_submits : public poster_world {};

} // namespace

TEST_F(poster_submits, a_form_becomes_a_batch_of_its_collection) {
  start();
  const auto x = post("/poster/submit", a_form()
                                          .field("title", "Mine")
                                          .field("submitter", "Ann")
                                          .field("type", "file"));
  ASSERT_EQ(x.status, 200u) << x.body;
  EXPECT_EQ(x.header("content-type"), "application/json");
  const auto said = json_of(x);
  const auto given = last();
  EXPECT_EQ(given.user, "owner");
  EXPECT_EQ(given.priority, 0);
  EXPECT_EQ(given.info.collection, "papers");
  EXPECT_EQ(given.info.pipeline, "");
  EXPECT_EQ(given.info.source, "http");
  EXPECT_EQ(given.info.submitter, "Ann");
  EXPECT_EQ(given.info.type, "file");
  EXPECT_EQ(given.info.file_name, "a.txt");
  EXPECT_EQ(given.info.title, "Mine");
  EXPECT_TRUE(given.info.uuid.starts_with("bid-"));
  EXPECT_EQ(given.info.uuid.size(), 40u);
  EXPECT_EQ(x.header("BID"), given.info.uuid);
  EXPECT_EQ(said.at("uuid"), given.info.uuid);
  EXPECT_EQ(said.at("id"), 700);
  EXPECT_EQ(said.at("user"), "owner");
  EXPECT_EQ(said.at("collection"), "papers");
  EXPECT_EQ(said.at("state"), "pending");
  EXPECT_EQ(said.at("jobs").at("total"), 0);
  EXPECT_FALSE(said.at("submitted_at").get<std::string>().empty());
  EXPECT_FALSE(said.contains("warnings"));
  const auto document = last_document();
  EXPECT_EQ(document.uuid, given.info.uuid);
  EXPECT_EQ(document.user, "owner");
  EXPECT_EQ(document.submitted, said.at("submitted_at"));
  EXPECT_EQ(bytes_of(document.payloads.at(0)), "abc");
}

TEST_F(poster_submits, two_batches_have_two_ids) {
  start();
  const auto first = post("/poster/add", a_form()).header("BID");
  EXPECT_NE(first, post("/poster/add", a_form()).header("BID"));
  EXPECT_EQ(count(), 2u);
}

TEST_F(poster_submits, the_path_may_name_the_object) {
  start();
  for (const auto* path : {"/poster/submit", "/poster/add", "/poster/update"})
    for (const auto* ark : {"/ark:/99999/fk4abc", "/ark%3A%2F99999%2Ffk4abc"}) {
      EXPECT_EQ(post(std::string{path} + ark, a_form()).status, 200u) << path;
      EXPECT_EQ(last_document().what.identifier, "ark:/99999/fk4abc");
      EXPECT_EQ(last_document().update,
                std::string_view{path} == "/poster/update");
    }
  EXPECT_EQ(post("/poster/submit/ark:/99999/fk4/a/b.c", a_form()).status, 200u);
  EXPECT_EQ(last_document().what.identifier, "ark:/99999/fk4/a/b.c");
  EXPECT_EQ(post("/poster/submit/99999/fk4abc", a_form()).status, 400u);
}

TEST_F(poster_submits, m44_several_files_are_several_payloads) {
  start();
  ASSERT_EQ(post("/poster/submit",
                 a_form().file("file", "a.txt", "other").file("x", "b", ""))
              .status,
            200u);
  const auto payloads = last_document().payloads;
  ASSERT_EQ(payloads.size(), 3u);
  EXPECT_EQ(bytes_of(payloads[0]), "abc");
  EXPECT_EQ(bytes_of(payloads[1]), "other");
  EXPECT_EQ(bytes_of(payloads[2]), "");
  EXPECT_NE(payloads[0].file_name, payloads[1].file_name);
}

TEST_F(poster_submits, m37_a_manifest_that_is_too_long_is_taken) {
  start();
  const std::string manifest(5'000'001, '#');
  ASSERT_EQ(post("/poster/submit", form_text{}
                                     .field("profile", "papers")
                                     .field("type", "batch-manifest")
                                     .file("file", "a.checkm", manifest))
              .status,
            200u);
  EXPECT_EQ(last_document().payloads.at(0).bytes, 5'000'001u);
}

TEST_F(poster_submits, a_payload_by_url_is_not_fetched) {
  start();
  const auto url = "https://example.org/a.zip";
  const auto x =
    ask(post_text("/poster/submit",
                  "profile=papers&url=https%3A%2F%2Fexample.org"
                  "%2Fa.zip",
                  basic("owner"), "application/x-www-form-urlencoded"));
  ASSERT_EQ(x.status, 200u) << x.body;
  EXPECT_EQ(last_document().payloads.at(0).url, url);
  EXPECT_EQ(last_document().payloads.at(0).blob, "");
}

TEST_F(poster_submits, a_digest_is_kept_for_those_who_check_it) {
  start();
  ASSERT_EQ(
    post("/poster/submit", a_form()
                             .field("digestType", "SHA-1")
                             .field("digestValue", std::string(40, 'a')))
      .status,
    200u);
  ASSERT_TRUE(last_document().payloads.at(0).expected);
  EXPECT_EQ(last_document().payloads.at(0).expected->value,
            std::string(40, 'a'));
}

TEST_F(poster_submits, warns_of_fields_that_nobody_knows) {
  start();
  const auto x = post("/poster/submit", a_form().field("colour", "red"));
  ASSERT_EQ(x.status, 200u);
  EXPECT_EQ(json_of(x).at("warnings").size(), 1u);
}

TEST_F(poster_submits, nobody_hears_of_a_batch_before_it_is_durable) {
  core->journal_waits = true;
  start();
  raw_client client{server->port()};
  ASSERT_TRUE(client.send(post_text("/poster/submit", a_form().closed())));
  {
    std::unique_lock lock{core->guard};
    ASSERT_TRUE(core->changed.wait_for(lock, std::chrono::seconds{20}, [&] {
      return !core->submitted.empty();
    }));
  }
  // Its bytes came first.
  EXPECT_EQ(bytes_of(last_document().payloads.at(0)), "abc");
  EXPECT_FALSE(client.readable_within(100));
  let_journal_go();
  const auto x = client.receive();
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
}

TEST_F(poster_submits, who_waits_in_vain_hears_what_the_batch_would_be_called) {
  core->journal_waits = true;
  start({.ask_timeout = std::chrono::seconds{2}});
  const auto x = post("/poster/submit", a_form());
  EXPECT_EQ(x.status, 504u);
  EXPECT_EQ(x.header("BID"), last().info.uuid);
  EXPECT_NE(x.body.find("before you send it again"), std::string::npos);
  let_journal_go();
}

TEST_F(poster_submits, what_cannot_be_kept_is_no_batch) {
  core->blobs->fails = true;
  start();
  const auto x = post("/poster/submit", a_form());
  EXPECT_EQ(x.status, 503u);
  EXPECT_FALSE(x.header("Retry-After").empty());
  EXPECT_NE(json_of(x).value("error", ""), "");
  EXPECT_EQ(count(), 0u);
}

TEST_F(poster_submits, what_the_server_refuses_is_said_in_the_doors_form) {
  start({.body_bytes_max = 1'000});
  const auto said = [&](const raw_answer& x) {
    EXPECT_EQ(x.header("Content-Type"), "application/json");
    EXPECT_NE(json_of(x).value("error", ""), "");
    return x.status;
  };
  const auto long_form = form_text{}.field("profile", "papers").file(
    "file", "a.txt", std::string(2'000, 'x'));
  EXPECT_EQ(said(post("/poster/submit", long_form)), 413u);
  EXPECT_EQ(said(get("/poster/submit")), 405u);
  EXPECT_EQ(said(get("/poster/nothing")), 404u);
  EXPECT_EQ(get("/posters").body, "There is nothing here.\n");
}

TEST_F(poster_submits, what_takes_too_long_is_said_in_the_doors_form) {
  core->journal_waits = true;
  start({.answer_limit = std::chrono::milliseconds{100}});
  const auto x = post("/poster/submit", a_form());
  EXPECT_EQ(x.status, 504u);
  EXPECT_NE(json_of(x).value("error", ""), "");
  let_journal_go();
}

TEST_F(poster_submits, says_what_the_shard_refuses) {
  start();
  const std::pair<ec, unsigned> refusals[] = {{ec::not_allowed, 403},
                                              {ec::not_found, 404},
                                              {ec::pending_limit_reached, 429},
                                              {ec::quota_reached, 429},
                                              {ec::invalid_argument, 400},
                                              {ec::too_large, 413},
                                              {ec::draining, 503},
                                              {ec::overloaded, 503}};
  for (const auto& [why, status] : refusals) {
    {
      const std::lock_guard lock{core->guard};
      core->submit_fails = why;
    }
    const auto x = post("/poster/submit", a_form());
    EXPECT_EQ(x.status, status) << to_string(why);
    EXPECT_EQ(x.header("BID"), "");
    EXPECT_EQ(x.header("Retry-After").empty(), status != 429 && status != 503)
      << to_string(why);
    EXPECT_NE(json_of(x).value("error", ""), "") << to_string(why);
  }
}

TEST_F(poster_submits, bad_forms_are_400_and_say_why) {
  start();
  const auto expect_bad = [&](const form_text& form, const char* word) {
    const auto x = post("/poster/submit", form);
    EXPECT_EQ(x.status, 400u) << word;
    EXPECT_NE(json_of(x).at("error").get<std::string>().find(word),
              std::string::npos)
      << x.body;
  };
  expect_bad(form_text{}.field("profile", "papers"), "payload");
  expect_bad(a_form().field("digestType", "MD6"), "digestType");
  expect_bad(a_form().field("object", "ark:x"), "ARK");
  expect_bad(form_text{}.file("file", "a", "b"), "profile");
  EXPECT_EQ(
    ask(post_text("/poster/submit", "{}", basic("owner"), "application/json"))
      .status,
    400u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(poster_submits, a_form_over_the_limit_is_413) {
  poster::door_options options;
  options.body_bytes_max = 4'096;
  start(options);
  EXPECT_EQ(
    post("/poster/submit", a_form().file("f", "b", std::string(4'096, 'x')))
      .status,
    413u);
  EXPECT_EQ(ask(post_text("/poster/submit", std::string(70'000, 'a'),
                          basic("owner"), "application/x-www-form-urlencoded"))
              .status,
            413u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(poster_submits, other_methods_are_405) {
  start();
  EXPECT_EQ(get("/poster/submit").status, 405u);
  EXPECT_EQ(get("/poster/update/ark:/99999/fk4abc").status, 405u);
  EXPECT_EQ(post("/poster/batches/1", a_form()).status, 405u);
  EXPECT_EQ(get("/poster/nothing").status, 404u);
}
