// Sizes before the download, and whether there is room. Names of tests begin
// with the rows of the case table that they stand for.

#include "adapters/processing/merritt/job_steps.hpp"
#include "tests/adapters/processing/merritt/stage_world.hpp"
#include "tests/support/packed.hpp"

#include <condition_variable>
#include <optional>

namespace depositd::merritt {

namespace {

using depositd::testing::zip_of;

class estimating : public testing::stage_world {
protected:
  /// A staged job of type manifest with these rows, in a batch of its own.
  job_document staged(const std::string& rows) {
    auto batch = batch_of("o.checkm", testing::object(rows), "manifest");
    batch.uuid = "bid-" + std::to_string(++batches_);
    auto out = split(batch).jobs.at(0);
    EXPECT_EQ(run("stage", out).says, verdict::done);
    return out;
  }

  std::string row(const std::string& name, const std::string& bytes) {
    return site.put("/" + name, bytes) + " | | | | | " + name + "\n";
  }

  /// An answer that does not tell how long it is.
  static testing::server::script mute() {
    return [](const std::string&) {
      return std::string{"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"};
    };
  }

private:
  int batches_ = 0;
};

} // namespace

TEST_F(estimating, M03_sums_what_the_rows_say) {
  auto job = staged(row("one", "12345") + row("two", "1234567"));
  EXPECT_EQ(run("estimate", job).says, verdict::done);
  EXPECT_EQ(job.space_needed, 12);
  EXPECT_EQ(job.priority, 5);
  EXPECT_EQ(site.count("HEAD"), 2u);
  EXPECT_EQ(site.count("GET"), 0u);
}

TEST_F(estimating, asks_no_further_once_work_is_cut_short) {
  std::string rows;
  for (int i = 0; i < 100; ++i)
    rows += row("n" + std::to_string(i), "12345");
  auto job = staged(rows);
  const auto before = job.space_needed;
  web_downloader_options options;
  options.limits.stopped = [] { return true; };
  tools.downloader = make_web_downloader(guard, options);
  start();
  const auto out = run("estimate", job);
  EXPECT_EQ(out.says, verdict::retry) << out.reason;
  EXPECT_EQ(site.count(""), 0u);
  EXPECT_EQ(job.space_needed, before);
}

TEST_F(estimating, waits_while_other_manifests_take_the_memory) {
  auto first = staged(row("one", "12345"));
  auto second = staged("corrupt\n"); // which is said once it is read
  handlers = first_stages(std::make_shared<stages::stage_tools>(tools),
                          std::make_shared<promised_room>(), slow_fetch_from,
                          1'000);
  std::optional<outcome> meanwhile;
  site.next({[&](const std::string&) {
    meanwhile = run("estimate", second);
    return testing::server::ok("");
  }});
  EXPECT_EQ(run("estimate", first).says, verdict::done);
  ASSERT_TRUE(meanwhile);
  EXPECT_EQ(meanwhile->says, verdict::not_yet) << meanwhile->reason;
  EXPECT_EQ(run("estimate", second).says, verdict::rejected);
}

TEST_F(estimating, S01_what_is_not_known_costs_ten_and_only_once) {
  auto job = staged(row("one", "1"));
  for (int i = 0; i < 2; ++i) {
    site.next({mute(), mute()});
    EXPECT_EQ(run("estimate", job).says, verdict::done);
    EXPECT_EQ(job.space_needed, unknown_space);
    EXPECT_EQ(job.priority, 15);
  }
  EXPECT_EQ(run("provision", job).says, verdict::done);
}

TEST_F(estimating, S01_a_part_that_is_not_known_costs_nothing) {
  auto job = staged(row("one", "1") + row("two", "22"));
  const testing::server::script tells = [](const auto&) {
    return std::string{"HTTP/1.1 200 OK\r\nContent-Length: 22\r\n"
                       "Connection: close\r\n\r\n"};
  };
  site.next({tells, mute(), mute()});
  EXPECT_EQ(run("estimate", job).says, verdict::done);
  EXPECT_EQ(job.space_needed, 22);
  EXPECT_EQ(job.priority, 5);
  EXPECT_TRUE(job.more.contains(space_at_least));
}

TEST_F(estimating, S01_what_there_is_no_time_to_ask_for_is_not_known) {
  auto job = staged(row("one", "1") + row("two", "22"));
  const handle_item item;
  const stages::stage_task task{item, stage, &collection};
  work_on_job x{tools, task, job, folder(job)};
  EXPECT_EQ(estimate_space(x, std::chrono::milliseconds{0}).says,
            verdict::done);
  EXPECT_EQ(x.job.space_needed, unknown_space);
  EXPECT_EQ(site.count("HEAD"), 0u);
}

TEST_F(estimating, J22_priorities_end_at_99) {
  auto job = staged(row("one", "1"));
  job.first_priority = 95;
  site.next({mute(), mute()});
  EXPECT_EQ(run("estimate", job).says, verdict::done);
  EXPECT_EQ(job.priority, 99);
}

TEST_F(estimating, S02_empty_files_are_a_size_that_is_known) {
  auto job = staged(row("one", "") + row("two", ""));
  EXPECT_EQ(run("estimate", job).says, verdict::done);
  EXPECT_EQ(job.space_needed, 0);
  EXPECT_EQ(job.priority, 5);
}

TEST_F(estimating, notes_do_not_say_what_opens_an_address) {
  auto job = staged(row("one", "1") + site.url(signed_path("/gone"))
                    + " | | | | | gone\n");
  EXPECT_TRUE(tells_address_only(run("estimate", job).reason, "/gone"));
}

TEST_F(estimating, S03_a_row_that_is_not_there_fails_with_its_URL) {
  auto job = staged(row("one", "1") + site.url("/gone") + " | | | | | gone\n");
  const auto out = run("estimate", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("line 7 (" + site.url("/gone") + ")"),
            std::string::npos)
    << out.reason;
  EXPECT_NE(out.reason.find("404"), std::string::npos) << out.reason;
}

TEST_F(estimating, M27_an_address_that_is_never_fetched_is_rejected) {
  auto job = staged("http://10.1.2.3/private | | | | | private\n");
  const auto out = run("estimate", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_NE(out.reason.find("http://10.1.2.3/private"), std::string::npos);
  auto missing =
    staged(" | md5 | " + testing::digest_of("").value + " | | | name\n");
  EXPECT_EQ(run("estimate", missing).reason, "line 6: there is no URL");
}

TEST_F(estimating, M29_names_the_duplicate) {
  auto job = staged(row("one", "1") + row("one", "1"));
  const auto out = run("estimate", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "line 7: the file name \"one\" is in line 6 already");
}

TEST_F(estimating, M30_other_folders_and_other_cases_are_other_names) {
  auto job = staged(row("one", "1") + row("One", "1") + row("a/one", "1")
                    + row("b/one", "1"));
  EXPECT_EQ(run("estimate", job).says, verdict::done);
  auto clash = staged(row("a/one", "1") + row("a", "1"));
  const auto out = run("estimate", clash);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason,
            "line 6: the folder of \"a/one\" is the file in line 7");
}

TEST_F(estimating, payloads_that_are_here_have_the_size_that_they_have) {
  auto zip = job_of("a.zip", zip_of({{"a", "12345"}, {"b", "678"}}));
  EXPECT_EQ(run_all(zip, {"stage", "estimate"}), "");
  EXPECT_EQ(zip.space_needed, 8);
  tools.estimates.sizes = {{8, 20}};
  start();
  EXPECT_EQ(run("estimate", zip).says, verdict::done);
  EXPECT_EQ(zip.priority, 25);
}

TEST_F(estimating, tells_what_to_do_if_the_manifest_was_cleaned_away) {
  auto job = staged(row("one", "1"));
  fs::remove_all(folder(job).root);
  for (const auto* name : {"estimate", "download", "process"}) {
    const auto out = run(name, job);
    EXPECT_EQ(out.says, verdict::failed) << name;
    EXPECT_NE(out.reason.find("requeue to pending"), std::string::npos);
  }
}

TEST_F(estimating, S04_S05_who_does_not_fit_waits_until_room_is_free) {
  const auto free = fs::space(tools.work_folder).available;
  auto large = staged(row("one", "1"));
  auto second = staged(row("two", "2"));
  auto small = staged(row("three", "3"));
  large.space_needed = static_cast<std::int64_t>(free / 10 * 6);
  second.space_needed = large.space_needed;
  small.space_needed = 3;
  EXPECT_EQ(run("provision", large).says, verdict::done);
  // Its bytes have not arrived, but they count: for others, not twice.
  EXPECT_EQ(run("provision", large).says, verdict::done);
  const auto out = run("provision", second);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 0u);
  EXPECT_NE(out.reason.find("no room"), std::string::npos);
  EXPECT_EQ(run("provision", small).says, verdict::done);
  EXPECT_EQ(run("provision", second).says, verdict::not_yet);
  // It was much smaller than it said, and frees the rest.
  EXPECT_EQ(run("download", large).says, verdict::done);
  EXPECT_EQ(run("provision", second).says, verdict::done);
}

TEST_F(estimating, S05_a_job_that_failed_has_nothing_promised) {
  const auto free = fs::space(tools.work_folder).available;
  auto failing = staged(row("one", "1"));
  auto waiting = staged(row("two", "2"));
  failing.space_needed = static_cast<std::int64_t>(free / 10 * 6);
  waiting.space_needed = failing.space_needed;
  EXPECT_EQ(run("provision", failing).says, verdict::done);
  EXPECT_EQ(run("provision", waiting).says, verdict::not_yet);
  const testing::server::script busy = [](const auto&) {
    return testing::server::response("503 Busy", "Content-Length: 0\r\n", "");
  };
  site.next({busy, busy, busy});
  EXPECT_EQ(run("download", failing).says, verdict::retry);
  EXPECT_EQ(run("provision", waiting).says, verdict::not_yet)
    << "who tries again keeps the promise";
  site.next({busy, busy, busy});
  EXPECT_EQ(run("download", failing, stage.attempts_max).says, verdict::retry);
  EXPECT_EQ(run("provision", waiting).says, verdict::done);
}

TEST_F(estimating, S05_what_another_process_has_fetched_counts_no_more) {
  const auto free = fs::space(tools.work_folder).available;
  auto large = staged(row("one", "1"));
  auto waiting = staged(row("two", "2"));
  large.space_needed = static_cast<std::int64_t>(free / 10 * 6);
  waiting.space_needed = large.space_needed;
  EXPECT_EQ(run("provision", large).says, verdict::done);
  EXPECT_EQ(run("provision", waiting).says, verdict::not_yet);
  const auto ours = handlers;
  start(); // knows nothing of what was promised
  EXPECT_EQ(run("download", large).says, verdict::done);
  handlers = ours;
  EXPECT_EQ(run("provision", waiting).says, verdict::done);
}

TEST_F(estimating, S05_who_waits_is_woken_when_room_is_free) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<item_id> woken;
  tools.wake = [&](const wake_items& x) {
    const std::lock_guard guard{mutex};
    woken.insert(woken.end(), x.ids.begin(), x.ids.end());
    changed.notify_one();
  };
  start();
  const auto free = fs::space(tools.work_folder).available;
  auto large = staged(row("one", "1"));
  auto waiting = staged(row("two", "2"));
  large.space_needed = static_cast<std::int64_t>(free / 10 * 6);
  waiting.space_needed = large.space_needed;
  id = 7;
  EXPECT_EQ(run("provision", large).says, verdict::done);
  id = 8;
  const auto out = run("provision", waiting);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, woken_wait_ms);
  id = 7;
  EXPECT_EQ(run("download", large).says, verdict::done);
  {
    std::unique_lock lock{mutex};
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds{60},
                                 [&] { return !woken.empty(); }));
    EXPECT_EQ(woken, std::vector<item_id>{8});
  }
  id = 8;
  EXPECT_EQ(run("provision", waiting).says, verdict::done);
  handlers.clear(); // before what `wake` refers to
}

TEST_F(estimating, S04_the_share_of_the_disk_that_is_used_decides) {
  const auto disk = fs::space(tools.work_folder);
  const auto percent = disk.capacity / 100;
  const auto used = disk.capacity - disk.available;
  auto job = staged(row("one", "1"));
  tools.provision.used_percent_max =
    static_cast<std::uint32_t>(used / percent + 3);
  start();
  job.space_needed = static_cast<std::int64_t>(percent);
  EXPECT_EQ(run("provision", job).says, verdict::done);
  job.space_needed = static_cast<std::int64_t>(5 * percent);
  EXPECT_NE(run("provision", job).says, verdict::done);
}

TEST_F(estimating, S04_who_is_larger_than_the_disk_does_not_wait) {
  auto job = staged(row("one", "1"));
  job.space_needed =
    static_cast<std::int64_t>(fs::space(tools.work_folder).capacity) + 1;
  const auto out = run("provision", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("too small for"), std::string::npos) << out.reason;
}

} // namespace depositd::merritt
