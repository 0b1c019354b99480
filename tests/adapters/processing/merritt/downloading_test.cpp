// What manifests name comes into the working folder. Names of tests begin with
// the rows of the case table that they stand for.

#include "tests/adapters/processing/merritt/stage_world.hpp"

#include <chrono>
#include <future>
#include <set>
#include <tuple>

namespace depositd::merritt {

namespace {

class downloading : public testing::stage_world {
protected:
  job_document staged(const std::string& rows) {
    auto batch = batch_of("o.checkm", testing::object(rows), "manifest");
    batch.uuid = "bid-" + std::to_string(++batches_);
    auto out = split(batch).jobs.at(0);
    EXPECT_EQ(run_all(out, {"stage", "provision"}), "");
    return out;
  }

  std::string row(const std::string& name, const std::string& bytes) {
    const auto sum = testing::digest_of(bytes);
    return site.put("/" + name, bytes) + " | md5 | " + sum.value + " | | | "
           + name + "\n";
  }

  /// Handlers to whom each source is slow from its first byte on.
  void start_with_slow_sources() {
    stage.workers = 2;
    handlers = first_stages(std::make_shared<stages::stage_tools>(tools),
                            std::make_shared<promised_room>(),
                            std::chrono::milliseconds{0});
  }

  static testing::server::script busy() {
    return [](const auto&) {
      return testing::server::response("503 Busy", "Content-Length: 0\r\n", "");
    };
  }

  static testing::server::script cut_off(const std::string& bytes) {
    return [=](const auto&) {
      const auto whole = testing::server::ok(bytes, "ETag: \"1\"\r\n");
      return whole.substr(0, whole.size() - 100'000);
    };
  }

  static testing::server::script rest_of(const std::string& bytes) {
    return [=](const std::string& request) {
      const auto range = testing::server::header(request, "Range");
      EXPECT_EQ(range.substr(0, 6), "bytes=");
      const auto from = std::stoul(range.substr(6));
      const auto tail = bytes.substr(from);
      return testing::server::response(
        "206 Partial Content",
        "Content-Length: " + std::to_string(tail.size())
          + "\r\nContent-Range: bytes " + std::to_string(from) + "-"
          + std::to_string(bytes.size() - 1) + "/"
          + std::to_string(bytes.size()) + "\r\n",
        tail);
    };
  }

  static std::string long_text() {
    std::string out;
    while (out.size() < 300'000)
      out += std::to_string(out.size());
    return out;
  }

private:
  int batches_ = 0;
};

} // namespace

TEST_F(downloading, M03_brings_every_file_to_its_name) {
  auto job = staged(row("one.jpg", "1") + row("two.txt", "22")
                    + row("folder/three", "333"));
  EXPECT_EQ(run("download", job).says, verdict::done);
  EXPECT_EQ(testing::files_below(folder(job).producer()),
            (std::vector<std::string>{"folder/three", "one.jpg", "two.txt"}));
  EXPECT_EQ(produced(job, "folder/three"), "333");
  EXPECT_EQ(testing::files_below(folder(job).root).size(), 4u)
    << "besides them the manifest";
}

TEST_F(downloading, M04_a_source_that_is_back_helps_a_requeued_job) {
  auto job = staged(row("one", "1") + row("two", "2"));
  site.remove("/two");
  EXPECT_EQ(run("estimate", job).says, verdict::failed);
  EXPECT_EQ(run("download", job).says, verdict::failed);
  site.put("/two", "2");
  EXPECT_EQ(run_all(job), "");
}

TEST_F(downloading, M12_digests_are_compared_in_either_case) {
  auto sum = testing::digest_of("1", digest_algorithm::sha256).value;
  for (auto& c : sum)
    c = static_cast<char>(std::toupper(c));
  auto job =
    staged(site.put("/one", "1") + " | SHA256 | " + sum + " | | | one\n");
  EXPECT_EQ(run("download", job).says, verdict::done);
}

TEST_F(downloading, M42_names_come_back_byte_by_byte) {
  const std::vector<std::string> names = {
    "with blank", "a+b",     "100%41.txt", "caf\xc3\xa9", "日本語.txt",
    "עברית",      "العربية", "a.b.c",      "#$&'()[]{}",  "x\xef\xbf\xbdy"};
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i)
    rows += site.put("/" + std::to_string(i), names[i]) + " | | | | | "
            + names[i] + "\n";
  rows += site.put("/bar", "a|b") + " | | | | | a%7cb\n";
  auto job = staged(rows);
  EXPECT_EQ(run_all(job), "");
  for (const auto& name : names)
    EXPECT_EQ(produced(job, name), name);
  EXPECT_EQ(produced(job, "a|b"), "a|b");
  // Storage is handed the same names.
  const auto stored = read_files_to_store(folder(job));
  ASSERT_TRUE(stored) << depositd::render(stored.error());
  std::set<std::string> paths;
  for (const auto& x : *stored) {
    paths.insert(x.path);
    EXPECT_TRUE(fs::exists(x.source)) << x.source;
  }
  for (const auto& name : names)
    EXPECT_TRUE(paths.contains("producer/" + name)) << name;
  EXPECT_TRUE(paths.contains("producer/a|b"));
}

TEST_F(downloading, S08_goes_on_where_the_connection_dropped) {
  const auto bytes = long_text();
  auto job = staged(row("one", bytes));
  // The first attempt of the stage gives up, the second goes on.
  site.next({cut_off(bytes), busy(), busy(), busy(), rest_of(bytes)});
  EXPECT_EQ(run("download", job).says, verdict::retry);
  EXPECT_EQ(run("download", job).says, verdict::done);
  EXPECT_EQ(produced(job, "one"), bytes);
}

TEST_F(downloading, is_put_back_while_slow_sources_have_all_workers) {
  const auto bytes = long_text();
  auto job = staged(row("one", bytes));
  auto endless = staged(row("two", "2"));
  auto quick = staged(row("three", "3"));
  std::tie(job.user, endless.user, quick.user) =
    std::tuple{"boris", "eve", "cyd"};
  site.next({cut_off(bytes), busy(), busy(), busy()});
  EXPECT_EQ(run("download", job).says, verdict::retry);
  start_with_slow_sources();
  std::promise<void> asked;
  std::promise<void> over;
  site.next({[&](const auto&) {
               asked.set_value();
               over.get_future().wait();
               return testing::server::ok("2");
             },
             rest_of(bytes)});
  auto first = std::async(std::launch::async, [&, body = encode(endless)] {
    return call("merritt.download", body).says;
  });
  asked.get_future().wait();
  const auto out = run("download", job, stage.attempts_max);
  EXPECT_EQ(out.says, verdict::not_yet) << out.reason;
  EXPECT_TRUE(fs::exists(folder(job).incoming() / "0.part"));
  EXPECT_EQ(run("download", job).says, verdict::not_yet) << "as often";
  over.set_value();
  EXPECT_EQ(first.get(), verdict::done);
  EXPECT_EQ(run("download", job).says, verdict::done);
  EXPECT_EQ(produced(job, "one"), bytes);
  EXPECT_EQ(run("download", quick).says, verdict::done);
}

TEST_F(downloading, notes_do_not_say_what_opens_an_address) {
  auto job = staged(row("one", "1") + site.url(signed_path("/gone"))
                    + " | | | | | gone\n");
  EXPECT_TRUE(tells_address_only(run("download", job).reason, "/gone"));
}

TEST_F(downloading, S09_a_row_that_is_not_there_fails_with_its_URL) {
  auto job = staged(row("one", "1") + row("two", "2"));
  site.remove("/two");
  const auto out = run("download", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("\"two\" (" + site.url("/two") + ")"),
            std::string::npos)
    << out.reason;
}

TEST_F(downloading, S09_bytes_that_differ_name_the_file_and_both_digests) {
  auto job = staged(row("one", "1"));
  site.put("/one", "I");
  const auto out = run("download", job);
  EXPECT_EQ(out.says, verdict::failed) << "requeue may help";
  EXPECT_EQ(out.reason, "\"one\" (" + site.url("/one") + "): the md5 is "
                          + testing::digest_of("I").value + ", not "
                          + testing::digest_of("1").value);
  EXPECT_FALSE(fs::exists(folder(job).producer() / "one"));
  EXPECT_FALSE(fs::exists(folder(job).incoming()));
}

TEST_F(downloading, S09_a_wrong_size_fails_only_without_a_digest) {
  auto job = staged(site.put("/one", "1") + " | | | 2 | | one\n");
  const auto out = run("download", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("has 1 bytes, not 2"), std::string::npos);
  auto other = staged(site.put("/one", "1") + " | md5 | "
                      + testing::digest_of("1").value + " | 2 | | one\n");
  EXPECT_EQ(run("download", other).says, verdict::done);
}

TEST_F(downloading, S10_files_that_are_right_are_kept) {
  auto job = staged(row("one", "1") + row("two", "2") + row("three", "3"));
  site.remove("/two");
  EXPECT_EQ(run("download", job).says, verdict::failed);
  site.put("/two", "2");
  EXPECT_EQ(run("download", job).says, verdict::done);
  const auto fetched = site.count("GET");
  // One of them is spoilt, one half gone.
  std::ofstream{folder(job).producer() / "one"} << "spoilt";
  fs::remove(folder(job).producer() / "three");
  EXPECT_EQ(run("download", job).says, verdict::done);
  EXPECT_EQ(site.count("GET"), fetched + 2);
  EXPECT_EQ(produced(job, "one"), "1");
  EXPECT_EQ(produced(job, "three"), "3");
}

TEST_F(downloading, S11_says_afterwards_what_it_really_takes) {
  auto job = staged(row("one", "12345") + row("two", "678"));
  job.space_needed = 1'000'000;
  job.priority = 77;
  job.first_priority = 5;
  job.more[space_at_least] = true;
  EXPECT_EQ(run("download", job).says, verdict::done);
  EXPECT_EQ(job.space_needed, 8);
  EXPECT_EQ(job.priority, 5);
  EXPECT_FALSE(job.more.contains(space_at_least));
  // Also if all of it was there before.
  job.space_needed = 1'000'000;
  EXPECT_EQ(run("download", job).says, verdict::done);
  EXPECT_EQ(job.space_needed, 8);
}

TEST_F(downloading, trouble_that_may_pass_leaves_the_other_rows_done) {
  auto job = staged(row("one", "1") + row("two", "2"));
  std::vector<testing::server::script> answers;
  // Each row may be the one that is asked for first.
  const testing::server::script only_two = [](const std::string& request) {
    return request.starts_with("GET /two")
             ? testing::server::ok("2")
             : testing::server::response("503 Busy", "Content-Length: 0\r\n",
                                         "");
  };
  answers.assign(4, only_two);
  site.next(answers);
  const auto out = run("download", job);
  EXPECT_EQ(out.says, verdict::retry);
  EXPECT_NE(out.reason.find(site.url("/one")), std::string::npos) << out.reason;
  EXPECT_EQ(produced(job, "two"), "2");
  EXPECT_EQ(run("download", job).says, verdict::done);
}

TEST_F(downloading, files_are_not_taken_for_the_beginnings_of_others) {
  auto job = staged(row("one", "1") + row("one.part", "2")
                    + row("incoming/0", "3") + row("one.tmp", "4"));
  EXPECT_EQ(run_all(job), "");
  EXPECT_EQ(produced(job, "one"), "1");
  EXPECT_EQ(produced(job, "one.part"), "2");
  EXPECT_EQ(produced(job, "incoming/0"), "3");
}

TEST_F(downloading, many_rows_are_fetched_at_once) {
  std::string rows;
  for (int i = 0; i < 200; ++i)
    rows +=
      row(std::to_string(i), std::string(static_cast<std::size_t>(i), 'x'));
  auto job = staged(rows);
  EXPECT_EQ(run_all(job, {"estimate", "download"}), "");
  EXPECT_EQ(job.space_needed, 199 * 200 / 2);
  EXPECT_EQ(testing::files_below(folder(job).producer()).size(), 200u);
}

} // namespace depositd::merritt
