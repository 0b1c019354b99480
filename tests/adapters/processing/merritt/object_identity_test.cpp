// Which object it is. Names of tests begin with the rows of the case table that
// they stand for.

#include "adapters/minters/http_minter.hpp"
#include "tests/adapters/processing/merritt/processing_world.hpp"

#include <set>
#include <thread>

namespace depositd::merritt {

namespace {

using strings = std::vector<std::string>;

} // namespace

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
  EXPECT_EQ(process(second), "process: ark:/99999/fk4given is an object of "
                             "another collection");
}

TEST_F(processing, M35_a_bad_ark_of_the_form_is_rejected) {
  auto job = ready({{"a", "A"}}, {.identifier = "ark:/x/y"});
  const auto out = run("process", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "the submission: \"ark:/x/y\" is no ARK");
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

/// Between minting and the lock, a depositor made an object under the same.
TEST_F(processing, asks_for_another_identifier_than_what_was_taken) {
  auto late = ready({{"b", "B"}});
  EXPECT_EQ(run("process", late).says, verdict::not_yet);
  const auto guessed = late.what.identifier;
  auto first = ready({{"a", "A"}}, {.identifier = guessed});
  EXPECT_EQ(process(first), "");
  record(first);
  EXPECT_FALSE(catalogue->unlock_all(first.uuid, any_token));
  EXPECT_EQ(run("process", late).says, verdict::retry);
  const auto before = late;
  EXPECT_EQ(process(late), "");
  EXPECT_NE(late.what.identifier, guessed);
  // The engine dies before it is written down.
  auto again = before;
  EXPECT_EQ(run("process", again).says, verdict::not_yet);
  EXPECT_EQ(again.what.identifier, late.what.identifier);
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

} // namespace depositd::merritt
