// Which object it is, and what is added to it. Names of tests begin with the
// rows of the case table that they stand for.

#include "adapters/minters/http_minter.hpp"
#include "adapters/processing/merritt/metadata_files.hpp"
#include "adapters/processing/merritt/payload_metadata.hpp"
#include "tests/adapters/processing/merritt/stage_world.hpp"
#include "tests/support/packed.hpp"

#include <set>
#include <thread>

namespace depositd::merritt {

namespace {

using depositd::testing::zip_of;
using strings = std::vector<std::string>;

constexpr const char* given_ark = "ark:/99999/fk4given";

class processing : public testing::stage_world {
protected:
  /// A job with a payload of these files, in a batch of its own, which is only
  /// to be processed.
  job_document ready(const std::map<std::string, std::string>& files,
                     const description& what = {}, bool update = false) {
    auto batch = batch_of("a.zip", zip_of(files), "container");
    batch.uuid = "bid-" + std::to_string(++batches_);
    batch.what = what;
    batch.update = update;
    auto out = split(batch).jobs.at(0);
    EXPECT_EQ(run_all(out, {"stage", "estimate", "provision", "download"}), "");
    return out;
  }

  /// As the last stages do.
  void record(const job_document& job) {
    inventory_entry x;
    x.identifier = job.what.identifier;
    x.collection = job.collection;
    x.owner = collection.owner;
    x.local_ids = job.what.local_ids;
    x.version.job = job.uuid;
    EXPECT_FALSE(catalogue->record(x));
    EXPECT_FALSE(catalogue->unlock_all(job.uuid, any_token));
  }

  std::string process(job_document& job) {
    return run_all(job, {"process"});
  }

  std::string added(const job_document& job, const std::string& name) const {
    return testing::content_of(folder(job).system() / name);
  }

  /// A disk that does not say what is in the payload's folder.
  void spoil_payload(const job_document& job) const {
    const auto payload = folder(job).producer();
    fs::remove_all(payload);
    fs::create_symlink(payload, payload);
  }

private:
  int batches_ = 0;
};

} // namespace

TEST_F(processing, M02_writes_seven_system_files) {
  auto job = ready({{"a.txt", "A"}},
                   {.title = "Title", .creator = "Who", .date = "2020"});
  EXPECT_EQ(process(job), "");
  EXPECT_EQ(
    testing::files_below(folder(job).system()),
    (strings{"mrt-dc.xml", "mrt-erc.txt", "mrt-ingest.txt", "mrt-manifest.txt",
             "mrt-membership.txt", "mrt-mom.txt", "mrt-owner.txt"}));
  EXPECT_EQ(job.what.identifier.substr(0, 14), "ark:/99999/fk4");
  EXPECT_EQ(added(job, "mrt-erc.txt"),
            "erc:\nwho: Who\nwhat: Title\nwhen: 2020\nwhere: "
              + job.what.identifier + "\n");
  const auto dc = read_dublin_core(added(job, "mrt-dc.xml"));
  EXPECT_EQ(*dc, (dublin_core{{"identifier", job.what.identifier},
                              {"title", "Title"},
                              {"creator", "Who"},
                              {"date", "2020"}}));
  EXPECT_EQ(added(job, "mrt-owner.txt"), "owner: owner\n");
}

TEST_F(processing, lists_what_is_to_be_stored) {
  auto job = downloaded({{"one.txt", "1"}, {"two", "22"}});
  EXPECT_EQ(process(job), "");
  const auto files = read_files_to_store(folder(job));
  ASSERT_TRUE(files) << depositd::render(files.error());
  strings paths;
  std::uint64_t bytes = 0;
  for (const auto& x : *files) {
    paths.push_back(x.path);
    bytes += x.bytes;
    EXPECT_EQ(x.sha256, testing::digest_of(testing::content_of(x.source),
                                           digest_algorithm::sha256)
                          .value);
  }
  EXPECT_EQ(paths,
            (strings{"producer/one.txt", "producer/two", "system/mrt-dc.xml",
                     "system/mrt-erc.txt", "system/mrt-ingest.txt",
                     "system/mrt-membership.txt", "system/mrt-mom.txt",
                     "system/mrt-owner.txt"}));
  EXPECT_EQ(job.more.at(left_by_process::stored_files), 8);
  EXPECT_EQ(job.more.at(left_by_process::stored_bytes), bytes);
  // The same job has the same bytes each time.
  const auto before = added(job, "mrt-manifest.txt");
  EXPECT_EQ(process(job), "");
  EXPECT_EQ(added(job, "mrt-manifest.txt"), before);
}

TEST_F(processing, M13_local_ids_do_not_repeat) {
  auto job = ready({{"a", "A"}}, {.local_ids = {"a", "a", "a", "b", "b"}});
  EXPECT_EQ(process(job), "");
  EXPECT_EQ(job.what.local_ids, (strings{"a", "b"}));
  EXPECT_EQ(**catalogue->of_local_id("owner", "b"), job.what.identifier);
}

TEST_F(processing, M14_the_erc_adds_local_ids_and_says_the_ark) {
  auto job = ready({{"a", "A"},
                    {"mrt-erc.txt", "who: E\nwhat: F\nwhen: G\nwhere: "
                                    "ark:/99999/fk4given\nwhere: e1; f1\n"}},
                   {.local_ids = {"f1", "f2"}, .title = "form's"});
  EXPECT_EQ(process(job), "");
  EXPECT_EQ(job.what.identifier, given_ark);
  EXPECT_EQ(job.what.local_ids, (strings{"f1", "f2", "e1"}));
  EXPECT_EQ(job.what.title, "form's");
  EXPECT_EQ(job.what.creator, "E");
  EXPECT_EQ(job.what.date, "G");
}

TEST_F(processing, M15_M16_ids_of_rows_then_of_the_erc_never_of_the_form) {
  const auto zip = zip_of({{"mrt-erc.txt", "where: e1\n"}});
  auto batch = batch_of(
    "b.checkm", testing::batch_manifest(
                  "container-batch", site.put("/1.zip", zip)
                                       + " | | | | | 1.zip | | r1;r2 | | |\n"));
  batch.what.local_ids = {"form"};
  auto job = split(batch).jobs.at(0);
  EXPECT_EQ(run_all(job), "");
  EXPECT_EQ(job.what.local_ids, (strings{"r1", "r2", "e1"}));
}

TEST_F(processing, M17_a_given_ark_is_kept_and_updated) {
  auto first = ready({{"a", "A"}}, {.identifier = "ark:99999/fk4given"});
  EXPECT_EQ(process(first), "");
  EXPECT_EQ(first.what.identifier, given_ark) << "with its slash";
  EXPECT_FALSE(first.more.contains(left_by_process::minted));
  EXPECT_FALSE(first.more.contains(left_by_process::known_object));
  record(first);
  auto second = ready({{"b", "B"}}, {.identifier = given_ark}, true);
  EXPECT_EQ(process(second), "");
  EXPECT_EQ(second.what.identifier, given_ark);
  EXPECT_TRUE(second.more.contains(left_by_process::known_object));
}

TEST_F(processing, M17_an_update_needs_an_object) {
  auto unknown = ready({{"a", "A"}}, {.identifier = given_ark}, true);
  EXPECT_EQ(process(unknown),
            "process: an update, but there is no object ark:/99999/fk4given");
  auto by_id = ready({{"a", "A"}}, {.local_ids = {"x"}}, true);
  EXPECT_EQ(process(by_id),
            "process: an update, but no object has the local id \"x\"");
  auto nothing = ready({{"a", "A"}}, {}, true);
  EXPECT_EQ(process(nothing),
            "process: an update needs an identifier or a local id");
  EXPECT_EQ(catalogue->locks(), 0u);
}

TEST_F(processing, M17_known_local_ids_make_new_versions) {
  auto first = ready({{"a", "A"}}, {.local_ids = {"x", "y"}});
  EXPECT_EQ(process(first), "");
  record(first);
  for (const bool update : {false, true}) {
    auto next = ready({{"b", "B"}}, {.local_ids = {"z", "x"}}, update);
    EXPECT_EQ(process(next), "");
    EXPECT_EQ(next.what.identifier, first.what.identifier);
    EXPECT_EQ(next.what.local_ids, (strings{"z", "x", "y"}));
    EXPECT_FALSE(next.more.contains(left_by_process::minted));
    EXPECT_FALSE(catalogue->unlock_all(next.uuid, any_token));
  }
  // Somebody else's local ids are others.
  collection.owner = "another";
  auto other = ready({{"b", "B"}}, {.local_ids = {"x"}});
  EXPECT_EQ(process(other), "");
  EXPECT_NE(other.what.identifier, first.what.identifier);
}

TEST_F(processing, M18_an_ark_is_written_down_before_it_is_used) {
  auto job = ready({{"a", "A"}}, {.local_ids = {"x"}});
  const auto before = job;
  const auto out = run("process", job);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 1u);
  EXPECT_TRUE(job.more.contains(left_by_process::minted));
  EXPECT_FALSE(*catalogue->of_local_id("owner", "x"));
  // The engine dies before it is: the same is minted for the same job.
  auto again = before;
  EXPECT_EQ(process(again), "");
  EXPECT_EQ(again.what.identifier, job.what.identifier);
}

TEST_F(processing, M19_jobs_of_one_local_id_get_one_ark_one_by_one) {
  std::vector<job_document> jobs;
  for (int i = 0; i < 20; ++i)
    jobs.push_back(ready({{"a", "A"}}, {.local_ids = {"shared"}}));
  std::atomic<int> waits = 0;
  std::atomic<claim_token> tokens = token;
  const auto work = [&](job_document& job) {
    for (int round = 0; round < 100'000; ++round) {
      handle_item item;
      item.item.token = ++tokens;
      item.item.attempt = 1;
      item.item.body = encode(job);
      const auto out =
        handlers.at("merritt.process")({item, stage, &collection});
      if (!out.document.empty())
        job = *decode_job_document(out.document);
      if (out.says == verdict::done)
        return record(job);
      ASSERT_EQ(out.says, verdict::not_yet) << out.reason;
      waits += out.delay_ms == 0 ? 1 : 0;
      std::this_thread::yield();
    }
    FAIL() << "never had its turn";
  };
  {
    std::vector<std::jthread> threads;
    for (auto& job : jobs)
      threads.emplace_back([&] { work(job); });
  }
  std::set<std::string> arks;
  for (const auto& job : jobs)
    arks.insert(job.what.identifier);
  EXPECT_EQ(arks.size(), 1u);
  const auto found = catalogue->find({.identifier = *arks.begin()});
  EXPECT_EQ(found->at(0).versions.size(), 20u);
}

TEST_F(processing, M19_who_waits_is_woken_when_the_lock_is_given_up) {
  std::vector<wake_items> woken;
  tools.lock_waits = std::make_shared<stages::item_waits>(
    [&](wake_items x) { woken.push_back(std::move(x)); });
  start();
  id = 7;
  auto first = ready({{"a", "A"}}, {.local_ids = {"b"}});
  EXPECT_EQ(process(first), "");
  id = 8;
  auto second = ready({{"a", "A"}}, {.local_ids = {"a", "b"}});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(run("process", second).says, verdict::not_yet);
  EXPECT_TRUE(woken.empty());
  // The first one fails in the end.
  id = 7;
  fs::remove_all(folder(first).producer());
  EXPECT_EQ(run("process", first).says, verdict::failed);
  ASSERT_EQ(woken.size(), 1u);
  EXPECT_EQ(woken[0].ids, std::vector<item_id>{8});
  id = 8;
  EXPECT_EQ(process(second), "");
  EXPECT_EQ(woken.size(), 1u);
}

TEST_F(processing, M19_who_waits_holds_no_lock) {
  auto first = ready({{"a", "A"}}, {.local_ids = {"b"}});
  EXPECT_EQ(process(first), "");
  EXPECT_EQ(catalogue->locks(), 2u);
  auto second = ready({{"a", "A"}}, {.local_ids = {"a", "b"}});
  const auto out = run("process", second);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 0u);
  EXPECT_EQ(out.reason, "\"owner b\" is in another job's hands");
  EXPECT_EQ(catalogue->locks(), 2u);
  auto third = ready({{"a", "A"}}, {.identifier = first.what.identifier});
  EXPECT_EQ(run("process", third).says, verdict::not_yet);
  record(first);
  EXPECT_EQ(process(second), "");
}

TEST_F(processing, M20_a_local_id_of_another_object_fails) {
  auto first = ready({{"a", "A"}}, {.local_ids = {"x"}});
  auto second = ready({{"a", "A"}}, {.local_ids = {"y"}});
  for (auto* job : {&first, &second}) {
    EXPECT_EQ(process(*job), "");
    record(*job);
  }
  auto given =
    ready({{"a", "A"}}, {.identifier = given_ark, .local_ids = {"x"}});
  EXPECT_EQ(run("process", given).says, verdict::failed);
  EXPECT_EQ(process(given), "process: the local id \"x\" is "
                              + first.what.identifier
                              + "'s, not ark:/99999/fk4given's");
  auto both = ready({{"a", "A"}}, {.local_ids = {"x", "y"}});
  EXPECT_EQ(process(both), "process: the local id \"y\" is "
                             + second.what.identifier + "'s, but \"x\" is "
                             + first.what.identifier + "'s");
  auto erc = ready({{"mrt-erc.txt", "where: ark:/99999/fk4other\n"}},
                   {.identifier = given_ark});
  EXPECT_EQ(run("process", erc).says, verdict::rejected);
  EXPECT_EQ(catalogue->locks(), 0u) << "who fails holds nothing";
}

TEST_F(processing, M20_objects_of_other_collections_are_not_touched) {
  auto first = ready({{"a", "A"}}, {.identifier = given_ark});
  EXPECT_EQ(process(first), "");
  record(first);
  collection.name = "other";
  auto second = ready({{"a", "A"}}, {.identifier = given_ark});
  EXPECT_EQ(process(second), "process: ark:/99999/fk4given is an object of the "
                             "collection demo");
}

TEST_F(processing, M35_a_bad_ark_of_the_form_is_rejected) {
  auto job = ready({{"a", "A"}}, {.identifier = "ark:/x/y"});
  const auto out = run("process", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "the submission: \"ark:/x/y\" is no ARK");
}

TEST_F(processing, local_ids_that_cannot_be_recorded_are_rejected) {
  const auto where = std::string(1'025, 'l');
  auto job = ready({{"a", "A"}, {"mrt-erc.txt", "where: " + where + "\n"}});
  const auto out = run("process", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "a local identifier has more than 1024 bytes");
  EXPECT_EQ(job.what.identifier, "") << "nothing was minted for it";
}

TEST_F(processing, no_object_gathers_more_than_a_hundred_local_ids) {
  strings most;
  for (int i = 0; i < 100; ++i)
    most.push_back("l" + std::to_string(i));
  auto first = ready({{"a", "A"}}, {.local_ids = most});
  EXPECT_EQ(process(first), "");
  record(first);
  auto same = ready({{"b", "B"}}, {.local_ids = {"l0"}});
  EXPECT_EQ(process(same), "");
  EXPECT_EQ(same.what.local_ids.size(), 100u);
  EXPECT_FALSE(catalogue->unlock_all(same.uuid, any_token));
  auto more = ready({{"b", "B"}}, {.local_ids = {"l0", "one more"}});
  const auto out = run("process", more);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_EQ(out.reason, "with those of " + first.what.identifier
                          + " there are more than 100 local identifiers");
}

TEST_F(processing, M41_a_container_is_what_its_list_says) {
  const auto list = [](const std::string& rows) {
    return "#%checkm_0.7\n#%profile | http://uc3.cdlib.org/registry/store/"
           "manifest/mrt-object-manifest\n"
           + rows + "#%eof\n";
  };
  const auto row = [](const std::string& name, const std::string& bytes) {
    return name + " | md5 | " + testing::digest_of(bytes).value + " | "
           + std::to_string(bytes.size()) + " | |\n";
  };
  const auto reason = [&](const std::string& text) {
    auto job = ready({{"a", "A"}, {"b/c", "BC"}, {"mrt-manifest.txt", text}});
    return process(job);
  };
  EXPECT_EQ(reason(list(row("a", "A") + row("b/c", "BC"))), "");
  for (const auto& wrong :
       {row("a", "A"), row("a", "A") + row("b/c", "BC") + row("d", "D"),
        row("a", "A") + row("b/c", "BCD"), row("a", "X") + row("b/c", "BC")}) {
    const auto found = reason(list(wrong));
    EXPECT_EQ(found.substr(0, 27), "process: mrt-manifest.txt: ") << found;
  }
  EXPECT_EQ(reason("no list"), "process: mrt-manifest.txt: line 1: there is no "
                               "#%profile before the first row");
}

TEST_F(processing, M43_an_embargo_is_a_date_or_none) {
  const auto until = [&](const std::string& text) {
    auto job = ready({{"mrt-embargo.txt", "embargoEndDate: " + text + "\n"}});
    const auto failure = process(job);
    return failure.empty() ? job.more.value(left_by_process::embargo_until,
                                            std::string{"none"})
                           : failure;
  };
  EXPECT_EQ(until("NONE"), "none");
  EXPECT_EQ(until("2030-01-02"), "2030-01-02T00:00:00.000Z");
  EXPECT_EQ(until("some day").substr(0, 25), "process: mrt-embargo.txt:");
}

TEST_F(processing, M46_an_update_says_what_to_delete) {
  auto first = ready({{"a", "A"}}, {.identifier = given_ark});
  EXPECT_EQ(process(first), "");
  record(first);
  const std::map<std::string, std::string> files = {
    {"b", "B"}, {"mrt-delete.txt", "a\nfolder/b\n\na\n"}};
  auto update = ready(files, {.identifier = given_ark}, true);
  EXPECT_EQ(process(update), "");
  EXPECT_EQ(*read_deletions(folder(update), update),
            (strings{"producer/a", "producer/folder/b"}));
  EXPECT_FALSE(catalogue->unlock_all(update.uuid, any_token));
  auto submission = ready(files, {.identifier = given_ark});
  EXPECT_EQ(process(submission), "");
  EXPECT_TRUE(read_deletions(folder(submission), submission)->empty());
  EXPECT_FALSE(catalogue->unlock_all(submission.uuid, any_token));
  auto bad =
    ready({{"mrt-delete.txt", "../../etc\n"}}, {.identifier = given_ark}, true);
  EXPECT_EQ(run("process", bad).says, verdict::rejected);
}

TEST_F(processing, waits_while_a_minter_lets_nobody_in) {
  const testing::server minting{[&](const auto&) {
    return testing::server::response("401 Unauthorized",
                                     "Content-Length: 0\r\n", "");
  }};
  tools.minter =
    make_http_minter({.url = minting.url("/shoulder/ark:/99999/fk4")});
  start();
  auto job = ready({{"a", "A"}});
  const auto out = run("process", job, stage.attempts_max);
  EXPECT_EQ(out.says, verdict::not_yet) << out.reason;
}

TEST_F(processing, S12_a_minter_may_stumble_twice) {
  std::atomic<int> count = 0;
  const testing::server minting{[&](const auto&) {
    return ++count < 3
             ? testing::server::response("502 Bad Gateway",
                                         "Content-Length: 0\r\n", "")
             : testing::server::response("201 Created",
                                         "Content-Length: 28\r\n",
                                         "success: ark:/99999/fk4third");
  }};
  http_minter_options options{.url = minting.url("/shoulder/ark:/99999/fk4")};
  options.tries = 1; // the stage's own attempts count here
  tools.minter = make_http_minter(options);
  start();
  auto job = ready({{"a", "A"}});
  EXPECT_EQ(run("process", job).says, verdict::retry);
  EXPECT_EQ(run("process", job).says, verdict::retry);
  EXPECT_EQ(process(job), "");
  EXPECT_EQ(job.what.identifier, "ark:/99999/fk4third");
}

/// One that was brought back from a copy, for example.
TEST_F(processing, takes_no_object_of_others_for_what_was_minted) {
  std::atomic<int> count = 0;
  const testing::server minting{[&](const auto&) {
    return testing::server::response(
      "201 Created", "Content-Length: 28\r\n",
      ++count < 3 ? "success: ark:/99999/fk4given"
                  : "success: ark:/99999/fk4third");
  }};
  tools.minter =
    make_http_minter({.url = minting.url("/shoulder/ark:/99999/fk4")});
  start();
  auto first = ready({{"a", "A"}});
  EXPECT_EQ(process(first), "");
  EXPECT_EQ(first.what.identifier, given_ark);
  record(first);
  auto again = first;
  EXPECT_EQ(process(again), "") << "it is what this job has made";
  EXPECT_FALSE(catalogue->unlock_all(first.uuid, any_token));
  auto second = ready({{"b", "B"}});
  EXPECT_EQ(run("process", second).says, verdict::not_yet);
  const auto out = run("process", second);
  EXPECT_EQ(out.says, verdict::retry);
  EXPECT_EQ(out.reason, "the minter gave ark:/99999/fk4given again, which is "
                        "an object already");
  EXPECT_EQ(process(second), "");
  EXPECT_EQ(second.what.identifier, "ark:/99999/fk4third");
  EXPECT_FALSE(second.more.contains(left_by_process::known_object));
}

/// What the minter does wrong is nothing that the submission has done.
TEST_F(processing, tries_again_when_a_minter_gives_what_is_no_ark) {
  std::string text;
  const testing::server minting{[&](const auto&) {
    return testing::server::response("201 Created", "", text);
  }};
  http_minter_options options{.url = minting.url("/shoulder/ark:/99999/fk4")};
  options.tries = 1;
  tools.minter = make_http_minter(options);
  start();
  auto job = ready({{"a", "A"}});
  for (const auto* answer :
       {"<html>closed until noon</html>", "success: ark:/99999//fk4",
        "success: ark:/9/fk4", "success: ark:/Ada99/fk4"}) {
    text = answer;
    const auto out = run("process", job);
    EXPECT_EQ(out.says, verdict::retry) << answer << ": " << out.reason;
    EXPECT_EQ(job.what.identifier, "") << answer;
  }
  text = "success: ark:99999/fk4fourth";
  EXPECT_EQ(process(job), "");
  EXPECT_EQ(job.what.identifier, "ark:/99999/fk4fourth");
}

TEST_F(processing, gives_up_its_locks_with_its_last_attempt) {
  const testing::server minting{[&](const auto&) {
    return testing::server::response("502 Bad Gateway", "Content-Length: 0\r\n",
                                     "");
  }};
  http_minter_options options{.url = minting.url("/shoulder/ark:/99999/fk4")};
  options.tries = 1;
  tools.minter = make_http_minter(options);
  start();
  auto job = ready({{"a", "A"}}, {.local_ids = {"x"}});
  EXPECT_EQ(run("process", job).says, verdict::retry);
  EXPECT_EQ(catalogue->locks(), 1u);
  EXPECT_EQ(run("process", job, stage.attempts_max).says, verdict::retry);
  EXPECT_EQ(catalogue->locks(), 0u);
}

TEST_F(processing, says_what_is_wrong_with_files_that_describe_it) {
  const auto ending = [&](const std::string& name, const std::string& bytes) {
    auto job = downloaded({{name, bytes}});
    const auto out = run("process", job);
    fs::remove_all(folder(job).root);
    return out;
  };
  for (const auto& [name, bytes] : std::map<std::string, std::string>{
         {"mrt-erc.txt", "no colon"},
         {"mrt-dc.xml", "<unclosed>"},
         {"mrt-embargo.txt", std::string(metadata_bytes_max + 1, '#')}}) {
    const auto out = ending(name, bytes);
    EXPECT_EQ(out.says, verdict::rejected) << name;
    EXPECT_TRUE(out.reason.starts_with(name + ": ")) << out.reason;
  }
}

TEST_F(processing, files_and_form_describe_together) {
  auto job = ready(
    {{"mrt-dc.xml", "<m xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
                    "<dc:title>T</dc:title><dc:creator>C</dc:creator></m>"}});
  job.dublin_core = {{"publisher", "P"}, {"title", "T"}};
  job.erc = {{"who", "W"}, {"where", "local"}};
  EXPECT_EQ(process(job), "");
  EXPECT_EQ(job.what.title, "T");
  EXPECT_EQ(job.what.creator, "W");
  EXPECT_EQ(job.what.local_ids, strings{"local"});
  EXPECT_EQ(*read_dublin_core(added(job, "mrt-dc.xml")),
            (dublin_core{{"title", "T"},
                         {"creator", "C"},
                         {"publisher", "P"},
                         {"identifier", job.what.identifier},
                         {"identifier", "local"}}));
}

TEST_F(processing, takes_nothing_for_absent_that_could_not_be_looked_at) {
  auto job = ready({{"a", "a"}, {"mrt-embargo.txt", "embargoEndDate: none\n"}});
  spoil_payload(job);
  const handle_item item;
  const stages::stage_task task{item, stage, &collection};
  const work_on_job x{tools, task, job, folder(job)};
  const auto found = read_payload_metadata(x);
  const auto* ending = std::get_if<outcome>(&found);
  ASSERT_NE(ending, nullptr) << "as if there were no embargo";
  EXPECT_EQ(ending->says, verdict::retry) << ending->reason;
}

TEST_F(processing, tries_again_what_the_disk_does_not_show) {
  auto job = ready({{"a", "a"}});
  fs::remove_all(folder(job).root);
  EXPECT_EQ(run("process", job).says, verdict::failed) << "it is gone";
  fs::create_symlink(folder(job).root, folder(job).root);
  EXPECT_EQ(run("process", job).says, verdict::retry);
}

} // namespace depositd::merritt
