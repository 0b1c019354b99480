// What is added to an object. Names of tests begin with the rows of the case
// table that they stand for.

#include "adapters/processing/merritt/metadata_files.hpp"
#include "adapters/processing/merritt/payload_metadata.hpp"
#include "tests/adapters/processing/merritt/processing_world.hpp"

namespace depositd::merritt {

namespace {

using depositd::testing::zip_of;
using strings = std::vector<std::string>;

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
