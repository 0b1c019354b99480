// How a payload comes into the working folder. Names of tests begin with the
// rows of the case table that they stand for.

#include "tests/adapters/processing/merritt/stage_world.hpp"
#include "tests/support/packed.hpp"

#include <future>

namespace depositd::merritt {

using staging = testing::stage_world;
using testing::content_of;
using testing::digest_of;
using testing::files_below;
using depositd::testing::zip_of;
using strings = std::vector<std::string>;

TEST_F(staging, M08_a_container_is_unpacked_and_gone) {
  const auto zip = zip_of({{"a.txt", "A"}, {"folder/b.txt", "B"}});
  auto job = job_of("two.zip", zip);
  EXPECT_EQ(run("stage", job).says, verdict::done);
  EXPECT_EQ(files_below(folder(job).root),
            (strings{"producer/a.txt", "producer/folder/b.txt"}));
  EXPECT_EQ(produced(job, "folder/b.txt"), "B");
}

TEST_F(staging, M09_a_zip_of_type_file_stays_as_it_is) {
  const auto zip = zip_of({{"a.txt", "A"}});
  auto job = job_of("two.zip", zip, "file");
  EXPECT_EQ(run("stage", job).says, verdict::done);
  EXPECT_EQ(files_below(folder(job).root), strings{"producer/two.zip"});
  EXPECT_EQ(produced(job, "two.zip"), zip);
}

TEST_F(staging, M10_the_digest_of_a_payload_decides) {
  auto batch = batch_of("a.txt", "bytes", "file");
  batch.payloads[0].expected = digest_of("bytes");
  auto right = split(batch).jobs.at(0);
  EXPECT_EQ(run("stage", right).says, verdict::done);

  batch.uuid = "bid-2";
  batch.payloads[0].expected = digest_of("other bytes");
  auto wrong = split(batch).jobs.at(0);
  const auto out = run("stage", wrong);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "\"a.txt\": the md5 is " + digest_of("bytes").value
                          + ", not " + digest_of("other bytes").value);
  EXPECT_TRUE(files_below(folder(wrong).root).empty());
}

TEST_F(staging, M10_also_if_it_was_fetched) {
  auto batch = batch_of("a.txt", "", "file");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.put("/a.txt", "bytes");
  batch.payloads[0].expected = digest_of("other bytes");
  auto job = split(batch).jobs.at(0);
  const auto out = run("stage", job);
  EXPECT_EQ(out.says, verdict::rejected);
  for (const auto& part :
       {std::string{"\"a.txt\""}, site.url("/a.txt"), digest_of("bytes").value,
        digest_of("other bytes").value})
    EXPECT_NE(out.reason.find(part), std::string::npos) << out.reason;
}

TEST_F(staging, M32_rows_of_a_batch_of_files_are_stored_as_they_are) {
  const auto zip = zip_of({{"a.txt", "A"}});
  const auto rows = site.put("/1", zip) + " | | | | | one.zip\n"
                    + site.put("/2", testing::object(testing::first_row))
                    + " | | | | | folder/two.checkm\n";
  auto jobs =
    split(
      batch_of("b.checkm", testing::batch_manifest("single-file-batch", rows)))
      .jobs;
  for (auto& job : jobs)
    EXPECT_EQ(run_all(job), "");
  EXPECT_EQ(produced(jobs.at(0), "one.zip"), zip);
  EXPECT_EQ(produced(jobs.at(1), "folder/two.checkm"),
            testing::object(testing::first_row));
}

TEST_F(staging, M33_a_container_needs_the_name_of_one) {
  auto job = job_of("two.zip.txt", zip_of({{"a", "A"}}), "container");
  const auto out = run("stage", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "\"two.zip.txt\" is not the name of an archive");
}

TEST_F(staging, M34_a_row_with_another_ending_is_judged_by_its_content) {
  const auto manifest_text =
    testing::object(site.put("/one.txt", "1") + " | | | | | one.txt\n");
  const auto rows = site.put("/1", manifest_text)
                    + " | | | | | good.checkm.txt\n" + site.put("/2", "text")
                    + " | | | | | bad.checkm.txt\n";
  auto jobs =
    split(batch_of("b.checkm", testing::batch_manifest("batch", rows))).jobs;
  EXPECT_EQ(run_all(jobs.at(0)), "");
  EXPECT_EQ(run_all(jobs.at(1)),
            "estimate: line 1: there is no #%profile before the first row");
}

TEST_F(staging, M39_nothing_leaves_the_folder) {
  auto zipped = job_of("a.zip", zip_of({{"good", "1"}, {"../../evil", "2"}}));
  const auto out = run("stage", zipped);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_NE(out.reason.find("../../evil"), std::string::npos) << out.reason;
  for (const auto* name : {"../evil", "/evil", "a/../../evil"}) {
    auto file = job_of(name, "bytes", "file");
    EXPECT_EQ(run("stage", file).says, verdict::rejected) << name;
  }
  auto strange = job_of("good", "bytes", "file");
  strange.uuid = "../strange";
  EXPECT_EQ(run("stage", strange).says, verdict::failed);
  for (const auto& x : fs::recursive_directory_iterator{home.path()})
    EXPECT_NE(x.path().filename(), "evil");
}

TEST_F(staging, M40_names_in_latin_1_are_read) {
  auto job = job_of("a.zip", zip_of({{"caf\xe9.txt", "1"}}));
  EXPECT_EQ(run("stage", job).says, verdict::done);
  EXPECT_EQ(files_below(folder(job).producer()), strings{"caf\xc3\xa9.txt"});
}

TEST_F(staging, refuses_a_bomb_a_wreck_and_nothing) {
  const auto reason = [&](const std::string& bytes) {
    auto job = job_of("a.zip", bytes);
    const auto out = run("stage", job);
    EXPECT_EQ(out.says, verdict::rejected) << out.reason;
    EXPECT_FALSE(fs::exists(folder(job).producer()));
    EXPECT_FALSE(fs::exists(folder(job).root / "unpacking"));
    return out.reason;
  };
  EXPECT_NE(reason(zip_of({{"zeros", std::string(20'000'000, '\0')}}))
              .find("times its own bytes"),
            std::string::npos);
  fs::remove_all(tools.work_folder / "bid-1");
  const auto whole = zip_of({{"a", std::string(1'000, 'a')}});
  EXPECT_NE(reason(whole.substr(0, 60)), "");
  fs::remove_all(tools.work_folder / "bid-1");
  EXPECT_NE(reason(zip_of({})), "");
  fs::remove_all(tools.work_folder / "bid-1");
  EXPECT_EQ(reason(zip_of({{"folder/", ""}})),
            "\"a.zip\": there are no files in it");
}

TEST_F(staging, is_the_same_after_a_crash_at_any_point) {
  const auto zip = zip_of({{"a.txt", "A"}, {"b.txt", "B"}});
  const auto whole = strings{"producer/a.txt", "producer/b.txt"};
  const auto job = job_of("two.zip", zip);
  const auto root = folder(job).root;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    fs::create_directories((root / name).parent_path());
    std::ofstream{root / name, std::ios::binary} << bytes;
  };
  const std::vector<std::function<void()>> crashes = {
    [&] { write("incoming/payload.tmp", "half"); },
    [&] { write("incoming/payload", zip); },
    [&] { write("container", zip); },
    [&] {
      write("container", zip);
      write("unpacking/a.txt", "hal");
    },
    [&] {
      write("container", zip);
      write("producer/a.txt", "A");
      write("producer/b.txt", "B");
    },
    [&] {
      write("producer/a.txt", "A");
      write("producer/b.txt", "B");
    },
  };
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    fs::remove_all(root);
    crashes[i]();
    auto again = job;
    EXPECT_EQ(run("stage", again).says, verdict::done) << i;
    EXPECT_EQ(files_below(root), whole) << i;
    EXPECT_EQ(produced(again, "a.txt"), "A") << i;
  }
}

TEST_F(staging, notes_do_not_say_what_opens_an_address) {
  auto batch = batch_of("a.txt", "", "file");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.url(signed_path("/gone"));
  auto job = split(batch).jobs.at(0);
  EXPECT_TRUE(tells_address_only(run("stage", job).reason, "/gone"));
}

TEST_F(staging, tells_what_may_pass_from_what_does_not) {
  auto batch = batch_of("a.txt", "", "file");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.url("/a.txt");
  auto job = split(batch).jobs.at(0);
  const auto gone = run("stage", job);
  EXPECT_EQ(gone.says, verdict::failed);
  EXPECT_NE(gone.reason.find(site.url("/a.txt")), std::string::npos);
  const testing::server::script busy = [](const auto&) {
    return testing::server::response("503 Busy", "Content-Length: 0\r\n", "");
  };
  site.next({busy, busy, busy});
  EXPECT_EQ(run("stage", job).says, verdict::retry);
  // Back again, requeued.
  site.put("/a.txt", "A");
  EXPECT_EQ(run("stage", job).says, verdict::done);
  EXPECT_EQ(produced(job, "a.txt"), "A");

  batch.payloads[0].url = "http://192.168.0.1/private";
  auto secret = split(batch).jobs.at(0);
  fs::remove_all(tools.work_folder);
  fs::create_directory(tools.work_folder);
  EXPECT_EQ(run("stage", secret).says, verdict::rejected);
}

TEST_F(staging, what_has_come_in_part_leaves_a_full_disk_to_others) {
  auto batch = batch_of("a.txt", "", "file");
  batch.payloads[0].blob.clear();
  batch.payloads[0].url = site.url("/a.txt");
  batch.payloads[0].expected = digest_of("bytes");
  auto job = split(batch).jobs.at(0);
  const auto last_try = [&] {
    const testing::server::script busy = [](const auto&) {
      return testing::server::response("503 Busy", "Content-Length: 0\r\n", "");
    };
    site.next({busy, busy, busy});
    EXPECT_EQ(run("stage", job, stage.attempts_max).says, verdict::retry);
    return fs::exists(folder(job).incoming() / "payload.part");
  };
  EXPECT_TRUE(last_try()) << "an operator may have it gone on with";
  tools.provision.free_min = fs::space(tools.work_folder).capacity;
  start();
  EXPECT_FALSE(last_try());
}

TEST_F(staging, says_so_if_the_blob_is_lost) {
  auto job = job_of("a.txt", "A", "file");
  job.payload.blob = std::string(64, '0');
  EXPECT_EQ(run("stage", job).says, verdict::failed);
}

TEST_F(staging, leaves_a_worker_to_others_while_a_source_does_not_end) {
  stage.workers = 2;
  job_document job;
  job.uuid = "jid-1";
  job.batch_uuid = "bid-1";
  job.user = "eve";
  job.payload.file_name = "endless.txt";
  job.payload.url = site.url("/endless");
  std::promise<void> asked;
  std::promise<void> over;
  site.next({[&](const auto&) {
    asked.set_value();
    over.get_future().wait();
    return testing::server::ok("x");
  }});
  auto first = std::async(std::launch::async, [&, body = encode(job)] {
    return call("merritt.stage", body).says;
  });
  asked.get_future().wait();
  job.uuid = "jid-2";
  job.payload.url = "ftp://never.example/x";
  EXPECT_EQ(run("stage", job).says, verdict::not_yet);
  auto of_another = job;
  of_another.user = "boris";
  EXPECT_EQ(run("stage", of_another).says, verdict::rejected)
    << "its turn has come";
  over.set_value();
  EXPECT_EQ(first.get(), verdict::done);
  EXPECT_EQ(run("stage", job).says, verdict::rejected);
}

} // namespace depositd::merritt
