// How a batch becomes jobs. Names of tests begin with the rows of the case
// table that they stand for.

#include "adapters/processing/merritt/splitting.hpp"
#include "tests/adapters/processing/merritt/stage_world.hpp"
#include "tests/support/noted_messages.hpp"

#include <future>
#include <set>

namespace depositd::merritt {

using splitting = testing::stage_world;
using testing::batch_manifest;

TEST_F(splitting, M01_a_file_is_one_job) {
  auto batch = batch_of("hello.txt", "hello");
  batch.what.title = "Hello";
  batch.what.local_ids = {"a"};
  const auto out = split(batch);
  ASSERT_EQ(out.jobs.size(), 1u) << out.last.reason;
  const auto& job = out.jobs[0];
  EXPECT_EQ(job.type, job_type::file);
  EXPECT_EQ(job.payload.file_name, "hello.txt");
  EXPECT_EQ(job.payload.blob, batch.payloads[0].blob);
  EXPECT_EQ(job.batch_uuid, "bid-1");
  EXPECT_EQ(job.what.title, "Hello");
  EXPECT_EQ(job.what.local_ids, std::vector<std::string>{"a"});
  EXPECT_EQ(job.first_priority, 5);
  EXPECT_EQ(out.batch.split, 1u);
}

TEST_F(splitting, M05_M06_M07_the_profile_says_what_the_rows_are) {
  const std::string rows = "http://example.org/one.zip | | | | | one.zip\n"
                           "http://example.org/two.zip | | | | | two.zip\n"
                           "http://example.org/six.zip | | | | | six.zip\n";
  const std::map<std::string, job_type> types = {
    {"batch", job_type::manifest},
    {"container-batch", job_type::container},
    {"single-file-batch", job_type::file}};
  for (const auto& [profile, type] : types)
    for (const auto* form : {"", "batch-manifest", "batchManifestFile"}) {
      const auto out =
        split(batch_of("b.checkm", batch_manifest(profile, rows), form));
      ASSERT_EQ(out.jobs.size(), 3u) << profile << form << out.last.reason;
      for (const auto& job : out.jobs)
        EXPECT_EQ(job.type, type) << profile << form;
      EXPECT_EQ(out.jobs[1].payload.url, "http://example.org/two.zip");
      EXPECT_EQ(out.jobs[1].payload.file_name, "two.zip");
      EXPECT_EQ(out.jobs[1].first_priority, 15);
    }
}

TEST_F(splitting, M11_the_digest_of_a_batch_manifest_may_be_in_capitals) {
  const auto text =
    batch_manifest("single-file-batch", "http://example.org/1 | | | | | one\n");
  auto batch = batch_of("b.checkm", text, "batch-manifest");
  auto sum = testing::digest_of(text, digest_algorithm::sha256).value;
  for (auto& c : sum)
    c = static_cast<char>(std::toupper(c));
  batch.payloads[0].expected = *make_digest("SHA256", sum);
  EXPECT_EQ(split(batch).jobs.size(), 1u);

  batch.payloads[0].expected = testing::digest_of("something else");
  const auto out = split(batch).last;
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "\"b.checkm\": the md5 is "
                          + testing::digest_of(text).value + ", not "
                          + testing::digest_of("something else").value);
}

TEST_F(splitting, M16_rows_beat_the_form_and_do_without_its_local_id) {
  auto batch = batch_of(
    "b.checkm",
    batch_manifest("single-file-batch",
                   "http://example.org/1 | sha-256 | "
                     + testing::digest_of("x", digest_algorithm::sha256).value
                     + " | 1 | | one | ark:/99999/fk4row | r1;r2 | | row's |\n"
                       "http://example.org/2 | | | | | two\n"));
  batch.what = {.identifier = "ark:/99999/fk4form",
                .local_ids = {"f"},
                .title = "form's",
                .creator = "form's",
                .date = "2020"};
  batch.dublin_core = {{"publisher", "P"}};
  batch.note = "note";
  batch.update = true;
  const auto jobs = split(batch).jobs;
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].what.identifier, "ark:/99999/fk4row");
  EXPECT_EQ(jobs[0].what.local_ids, (std::vector<std::string>{"r1", "r2"}));
  EXPECT_EQ(jobs[0].what.title, "row's");
  EXPECT_EQ(jobs[0].what.creator, "form's");
  EXPECT_EQ(jobs[0].payload.bytes, 1u);
  EXPECT_EQ(jobs[0].payload.expected,
            testing::digest_of("x", digest_algorithm::sha256));
  EXPECT_EQ(jobs[1].what.identifier, "");
  EXPECT_TRUE(jobs[1].what.local_ids.empty());
  EXPECT_EQ(jobs[1].what.title, "form's");
  EXPECT_EQ(jobs[1].dublin_core, batch.dublin_core);
  EXPECT_EQ(jobs[1].note, "note");
  EXPECT_TRUE(jobs[1].update);
}

TEST_F(splitting, M33_M35_M39_a_faulty_row_is_one_faulty_job) {
  const auto out = split(batch_of(
    "b.checkm",
    batch_manifest("container-batch",
                   "http://example.org/1 | | | | | one.zip\n"
                   "http://example.org/2 | | | | | two.zip.txt\n"
                   "http://example.org/3 | | | | | 3.zip | ark:/nonsense\n"
                   "http://example.org/4 | | | | | ../four.zip\n")));
  ASSERT_EQ(out.jobs.size(), 4u) << out.last.reason;
  EXPECT_EQ(out.jobs[0].fault, "");
  EXPECT_EQ(out.jobs[1].fault,
            "line 7: \"two.zip.txt\" is not the name of an archive");
  EXPECT_EQ(out.jobs[2].fault, "line 8: \"ark:/nonsense\" is no ARK");
  EXPECT_EQ(out.jobs[3].fault.substr(0, 33),
            "line 9: the file name \"../four.zi");
  for (std::size_t i = 1; i < 4; ++i) {
    auto job = out.jobs[i];
    const auto ending = run("stage", job);
    EXPECT_EQ(ending.says, verdict::rejected);
    EXPECT_EQ(ending.reason, job.fault);
  }
}

TEST_F(splitting, M36_a_batch_manifest_without_rows_is_rejected) {
  const auto out =
    split(batch_of("b.checkm", batch_manifest("single-file-batch", ""))).last;
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "\"b.checkm\": there are no rows");
}

TEST_F(splitting, M37_a_batch_manifest_has_at_most_five_million_bytes) {
  const std::string row = "http://example.org/1 | | | | | one\n";
  // Comments of so many lines, because one line of that length is refused.
  std::string comments;
  const auto room = 5'000'000 - batch_manifest("single-file-batch", row).size();
  while (comments.size() + 2'000 < room)
    comments += std::string(999, '#') + "\n";
  comments += std::string(room - comments.size() - 1, '#') + "\n";
  auto text = batch_manifest("single-file-batch", row + comments);
  ASSERT_EQ(text.size(), 5'000'000u);
  EXPECT_EQ(split(batch_of("b.checkm", text)).jobs.size(), 1u);

  text = batch_manifest("single-file-batch", row + "#" + comments);
  const auto by_blob = split(batch_of("b.checkm", text)).last;
  EXPECT_EQ(by_blob.says, verdict::rejected);
  EXPECT_NE(by_blob.reason.find("at most 5000000 bytes"), std::string::npos);

  auto batch = batch_of("b.checkm", "", "batch-manifest");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.put("/b.checkm", text);
  const auto by_url = split(batch).last;
  EXPECT_EQ(by_url.says, verdict::rejected);
  EXPECT_NE(by_url.reason.find("at most 5000000 bytes"), std::string::npos);
}

TEST_F(splitting, M38_does_not_fetch_what_rows_name) {
  std::string rows;
  for (int i = 0; i < 1'000; ++i)
    rows += site.url("/" + std::to_string(i)) + " | | | | | name\n";
  const auto out =
    split(batch_of("b.checkm", batch_manifest("single-file-batch", rows)));
  EXPECT_EQ(out.jobs.size(), 1'000u) << out.last.reason;
  EXPECT_EQ(site.count(""), 0u);
  // One of them is there.
  site.put("/500", "five hundred");
  auto dead = out.jobs[499];
  auto well = out.jobs[500];
  EXPECT_EQ(run("stage", dead).says, verdict::failed);
  EXPECT_EQ(run("stage", well).says, verdict::done);
  EXPECT_EQ(produced(well, "name"), "five hundred");
}

TEST_F(splitting, M44_files_of_one_name_are_jobs_of_their_own) {
  auto batch = batch_of("same.txt", "one");
  add_payload(batch, "same.txt", "two");
  auto jobs = split(batch).jobs;
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].first_priority, 11);
  for (auto& job : jobs)
    EXPECT_EQ(run_all(job), "");
  EXPECT_EQ(produced(jobs[0], "same.txt"), "one");
  EXPECT_EQ(produced(jobs[1], "same.txt"), "two");
}

TEST_F(splitting, M45_without_a_type_name_and_profile_decide) {
  const auto batch = batch_manifest("batch", "http://example.org/1 | | | | | "
                                             "one.checkm\n");
  const auto type_of = [&](const std::string& name, const std::string& bytes) {
    return job_of(name, bytes).type;
  };
  EXPECT_EQ(type_of("a.txt", "a"), job_type::file);
  EXPECT_EQ(type_of("a.tar.gz", "a"), job_type::container);
  EXPECT_EQ(type_of("a.ZIP", "a"), job_type::container);
  EXPECT_EQ(type_of("a", testing::object(testing::first_row)),
            job_type::manifest);
  EXPECT_EQ(type_of("a", batch), job_type::manifest);
  EXPECT_EQ(job_of("a", batch).payload.url, "http://example.org/1");
  // By URL, too; there the file's name may be that of the address.
  auto web = batch_of("", "");
  web.payloads[0].blob.clear();
  web.payloads[0].url = site.put("/far.txt", batch);
  EXPECT_EQ(split(web).jobs.at(0).payload.url, "http://example.org/1");
  web.payloads[0].url = site.put("/far.txt", std::string(5'000'001, 'x'));
  const auto far = split(web).jobs.at(0);
  EXPECT_EQ(far.type, job_type::file);
  EXPECT_EQ(far.payload.file_name, "far.txt");
}

TEST_F(splitting, refuses_what_it_does_not_know) {
  EXPECT_EQ(split(batch_of("a", "a", "parcel")).last.reason,
            "there is no type \"parcel\"");
  const auto none = split(batch_document{.uuid = "bid-1"}).last;
  EXPECT_EQ(none.says, verdict::rejected);
  EXPECT_EQ(none.reason, "nothing was submitted");
  const auto object =
    split(batch_of("o.checkm", testing::object(testing::first_row),
                   "batch-manifest"))
      .last;
  EXPECT_EQ(object.says, verdict::rejected);
  EXPECT_EQ(object.reason,
            "\"o.checkm\": the profile is not that of a batch manifest");
}

TEST_F(splitting, tells_the_line_of_a_corrupt_batch_manifest) {
  const auto out =
    split(batch_of(
            "b.checkm",
            batch_manifest("batch", "http://example.org/1 | | | x | | one\n")))
      .last;
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "\"b.checkm\": line 6: the file size \"x\" is no whole "
                        "number");
}

TEST_F(splitting, R18_goes_on_where_it_was_with_the_same_jobs) {
  std::string rows;
  for (int i = 0; i < 2'500; ++i)
    rows += "http://example.org/" + std::to_string(i) + " | | | | | "
            + std::to_string(i) + "\n";
  const auto text = batch_manifest("single-file-batch", rows);
  auto batch = batch_of("b.checkm", "", "batch-manifest");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.put("/b.checkm", text);

  const auto first = call("merritt.split", encode(batch));
  const auto slice = decode_split_bodies(first.document);
  ASSERT_TRUE(slice) << first.reason;
  EXPECT_EQ(slice->expected, 2'500u);
  EXPECT_EQ(slice->jobs.size(), slice_jobs_max);
  EXPECT_FALSE(slice->last);
  // The slice is lost with the engine, and comes again as it was.
  start();
  EXPECT_EQ(call("merritt.split", encode(batch)).document, first.document);

  start();
  const auto rest = split(*decode_batch_document(slice->batch));
  EXPECT_EQ(rest.slices, (std::vector<std::size_t>{1'000, 500}));
  EXPECT_EQ(rest.jobs[0].payload.file_name, "1000");
  EXPECT_EQ(rest.jobs.back().payload.file_name, "2499");
  std::set<std::string> uuids;
  for (const auto& x : slice->jobs)
    uuids.insert(x.info.uuid);
  for (const auto& x : rest.jobs)
    uuids.insert(x.uuid);
  EXPECT_EQ(uuids.size(), 2'500u);
  // It was fetched once, and is not kept.
  EXPECT_EQ(site.count("GET"), 1u);
  EXPECT_FALSE(fs::exists(tools.work_folder / "bid-1" / "split"));
}

TEST_F(splitting, tries_again_while_a_batch_manifest_cannot_be_fetched) {
  auto batch = batch_of("b.checkm", "", "batch-manifest");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.put("/b.checkm", "");
  const testing::server::script broken = [](const auto&) {
    return testing::server::response("503 Busy", "Content-Length: 0\r\n", "");
  };
  site.next({broken, broken, broken});
  EXPECT_EQ(split(batch).last.says, verdict::retry);
  site.remove("/b.checkm");
  const auto out = split(batch).last;
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find(site.url("/b.checkm")), std::string::npos);
}

TEST_F(splitting, notes_do_not_say_what_opens_an_address) {
  auto batch = batch_of("b.checkm", "", "batch-manifest");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.url(signed_path("/gone"));
  EXPECT_TRUE(tells_address_only(split(batch).last.reason, "/gone"));
}

TEST_F(splitting, takes_the_priority_of_the_collection) {
  collection.has_priority = true;
  collection.priority = 2;
  EXPECT_EQ(job_of("a.txt", "a").first_priority, 2);
}

TEST_F(splitting, R27_tells_who_submitted_it_as_the_report_does) {
  const auto mails =
    std::make_shared<depositd::testing::noted_mails>();
  tools.mailer = mails;
  start();
  collection.notify = {"owner@example.org"};
  auto batch = batch_of("a.txt", "a");
  batch.user = "ann";
  split(batch);
  batch.uuid = "bid-2";
  batch.more["submitter"] = "Ann of the archive";
  split(batch);
  ASSERT_EQ(mails->sent.size(), 2u);
  EXPECT_NE(mails->sent[0].text.find("User agent: ann\n"), std::string::npos);
  EXPECT_NE(mails->sent[1].text.find("User agent: Ann of the archive\n"),
            std::string::npos);
}

TEST_F(splitting, goes_on_for_others_while_a_server_does_not_end) {
  auto batch = batch_of("", "");
  batch.user = "eve";
  batch.payloads = {{.url = site.url("/endless")}};
  std::promise<void> asked;
  std::promise<void> over;
  site.next({[&](const auto&) {
    asked.set_value();
    over.get_future().wait();
    return testing::server::ok("x");
  }});
  auto first = std::async(std::launch::async, [&, body = encode(batch)] {
    return call("merritt.split", body).says;
  });
  asked.get_future().wait();
  batch.uuid = "bid-2";
  batch.payloads = {{.url = "ftp://never.example/x"}};
  EXPECT_EQ(split(batch).last.says, verdict::not_yet);
  batch.user = "boris";
  EXPECT_EQ(split(batch).last.says, verdict::rejected) << "its turn has come";
  over.set_value();
  EXPECT_EQ(first.get(), verdict::done);
}

TEST_F(splitting, is_put_back_while_slow_servers_have_both_workers) {
  // To whom each server is slow from its first byte on.
  handlers = first_stages(std::make_shared<stages::stage_tools>(tools),
                          std::make_shared<promised_room>(),
                          std::chrono::milliseconds{0});
  auto batch = batch_of("", "");
  batch.user = "eve";
  batch.payloads = {{.url = site.url("/endless")}};
  const auto other = site.put("/b", "b");
  std::promise<void> asked;
  std::promise<void> over;
  site.next({[&](const auto&) {
    asked.set_value();
    over.get_future().wait();
    return testing::server::ok("x");
  }});
  auto first = std::async(std::launch::async, [&, body = encode(batch)] {
    return call("merritt.split", body).says;
  });
  asked.get_future().wait();
  batch.uuid = "bid-2";
  batch.user = "boris";
  batch.payloads = {{.url = other}};
  EXPECT_EQ(split(batch).last.says, verdict::not_yet);
  over.set_value();
  EXPECT_EQ(first.get(), verdict::done);
  EXPECT_EQ(split(batch).last.says, verdict::done);
}

TEST(job_uuids, are_uuids_of_their_own) {
  const auto one = job_uuid("bid-1", 1);
  EXPECT_EQ(one, job_uuid("bid-1", 1));
  EXPECT_NE(one, job_uuid("bid-1", 2));
  EXPECT_NE(one, job_uuid("bid-11", 1));
  ASSERT_EQ(one.size(), 40u);
  EXPECT_EQ(one.substr(0, 4), "jid-");
  EXPECT_EQ(one[18], '8') << one;
  for (const std::size_t at : {12, 17, 22, 27})
    EXPECT_EQ(one[at], '-') << one;
}

} // namespace depositd::merritt
