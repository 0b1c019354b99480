// Depositors get back what they have deposited.

#include "tests/adapters/processing/aptrust/orders/restoring_world.hpp"
#include "tests/support/memory_inventory.hpp"

namespace depositd::aptrust::testing {
namespace {

// -- an object ----------------------------------------------------------------

TEST_F(restoring, an_object_comes_back_as_a_valid_bag_of_the_same_bytes) {
  store("INST/photos", a_bag);
  const auto out = run(an_order(order_kind::restore_object, "INST/photos"));
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  const auto tar = home.path() / "back/INST/photos.tar";
  ASSERT_TRUE(fs::exists(tar));
  EXPECT_TRUE(says(out, tar.string())) << out.reason;
  const auto report = bagit::check_bag({.path = tar}, {});
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_TRUE(report->valid());
  const auto files = unpacked(tar);
  for (const auto* path :
       {"data/a.txt", "data/deep/b c.bin", "aptrust-info.txt"})
    EXPECT_EQ(files.at(path), a_bag.at(path)) << path;
  EXPECT_EQ(bagit::value_of(report->info(), "External-Description"), "a");
  ASSERT_EQ(events("INST/photos", premis_types::dissemination).size(), 1u);
  EXPECT_TRUE(fs::is_empty(tools->work_folder)) << "nothing is left behind";
}

TEST_F(restoring, what_was_no_bag_becomes_the_payload_of_one) {
  store("ark:/99999/fk4abc",
        {{"producer/map.tif", "map"}, {"system/mrt-erc.txt", "erc"}});
  const auto out =
    run(an_order(order_kind::restore_object, "ark:/99999/fk4abc"));
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  const auto files = unpacked(given_back("fk4abc~", ".tar"));
  EXPECT_EQ(files.at("data/producer/map.tif"), "map");
  EXPECT_EQ(files.at("data/system/mrt-erc.txt"), "erc");
}

TEST_F(restoring, tags_come_back_in_the_encoding_of_the_bag) {
  struct bag_of {
    std::string encoding;
    std::string info;
    std::string title;
  };
  using std::string_literals::operator""s;
  const std::vector<bag_of> bags = {
    {"ISO-8859-1", "Contact-Name: Ren\xe9\n", "Title: Mus\xe9\x65\n"},
    {"ISO-8859-1", "Contact-Name: Rene\n", "Title: Mus\xe9\x65\n"},
    {"UTF-16LE", "C\0:\0 \0x\0\n\0"s, "T\0:\0 \0\xe9\0\n\0"s},
    {"UTF-8", "Contact-Name: Ren\xc3\xa9\n", "Title: Mus\xc3\xa9\x65\n"}};
  int number = 0;
  for (const auto& x : bags) {
    const auto name = "b" + std::to_string(++number);
    store("INST/" + name, {{"data/caf\xc3\xa9", "x"},
                           {"bag-info.txt", x.info},
                           {"aptrust-info.txt", x.title}});
    note_encoding("INST/" + name, x.encoding);
    const auto report = restored(name);
    EXPECT_TRUE(report.valid()) << number;
    EXPECT_EQ(report.encoding, x.encoding);
    EXPECT_EQ(report.tags_of("aptrust-info.txt").size(), 1u) << number;
    const auto files =
      unpacked(home.path() / "back/INST" / (name + ".tar"));
    EXPECT_EQ(files.at("aptrust-info.txt"), x.title);
    EXPECT_EQ(files.at("data/caf\xc3\xa9"), "x");
    EXPECT_EQ(files.at("bag-info.txt").substr(0, x.info.size()), x.info);
  }
}

TEST_F(restoring, tags_whose_encoding_nobody_wrote_down_are_looked_at) {
  using std::string_literals::operator""s;
  store("INST/latin",
        {{"data/a", "x"}, {"bag-info.txt", "Contact-Name: Ren\xe9\n"}});
  auto report = restored("latin");
  EXPECT_EQ(bagit::value_of(report.info(), "Contact-Name"), "Ren\xc3\xa9");
  EXPECT_EQ(report.encoding, "ISO-8859-1");
  store("INST/wide",
        {{"data/a", "x"}, {"bag-info.txt", "\xfe\xff\0C\0:\0x\0\n"s}});
  report = restored("wide");
  EXPECT_EQ(bagit::value_of(report.info(), "C"), "x");
}

TEST_F(restoring, a_bag_without_payload_comes_back_as_one) {
  store("INST/bare", {{"bag-info.txt", "Contact-Name: Rene\n"},
                      {"aptrust-info.txt", "Title: A\n"}});
  note_encoding("INST/bare", "UTF-8");
  const auto report = restored("bare");
  EXPECT_TRUE(report.valid());
  EXPECT_EQ(report.totals.payload_files, 0u);
  EXPECT_EQ(bagit::value_of(report.info(), "Contact-Name"), "Rene");
}

TEST_F(restoring, a_tag_file_whose_name_the_encoding_lacks_comes_back) {
  store("INST/odd",
        {{"data/a", "x"},
         {"\xe2\x82\xac.txt", "euro"},
         {"bag-info.txt", "Contact-Name: Ren\xe9\n"}});
  note_encoding("INST/odd", "ISO-8859-1");
  const auto report = restored("odd");
  EXPECT_TRUE(report.valid());
  EXPECT_EQ(bagit::value_of(report.info(), "Contact-Name"), "Ren\xc3\xa9");
}

TEST_F(restoring, what_was_never_judged_as_tags_does_not_keep_a_bag_back) {
  const std::string no_text = "Title: caf\xe9\n";
  store("INST/garbled", {{"data/a", "x"}, {"package-info.txt", no_text}});
  note_encoding("INST/garbled", "UTF-8");
  EXPECT_TRUE(restored("garbled").valid());
  EXPECT_EQ(
    unpacked(home.path() / "back/INST/garbled.tar").at("package-info.txt"),
    no_text);
  store("INST/cut",
        {{"data/a", "x"},
         {"package-info.txt", "Source-Organization: Old\nTitle: caf\xc3"}});
  note_encoding("INST/cut", "UTF-8");
  EXPECT_NE(bagit::value_of(restored("cut").info(), "Source-Organization"),
            "Old");
  store("INST/\xe2\x82\xac", {{"data/a", "x"}});
  note_encoding("INST/\xe2\x82\xac", "ISO-8859-1");
  EXPECT_EQ(run(an_order(order_kind::restore_object, "INST/\xe2\x82\xac")).says,
            verdict::done);
}

TEST_F(restoring, another_file_of_tags_does_not_become_the_bags_own) {
  auto files = a_bag;
  files["package-info.txt"] = "Source-Organization: Other\nno tag\n";
  store("INST/both", files);
  auto report = restored("both");
  EXPECT_TRUE(report.valid());
  EXPECT_EQ(bagit::value_of(report.info(), "Source-Organization"), "INST");
  EXPECT_EQ(unpacked(home.path() / "back/INST/both.tar").at("package-info.txt"),
            files.at("package-info.txt"));
  files.erase("bag-info.txt");
  files["package-info.txt"] = "Source-Organization: Old\n";
  store("INST/old", files);
  report = restored("old");
  EXPECT_TRUE(report.valid());
  EXPECT_EQ(bagit::value_of(report.info(), "Source-Organization"), "Old");
}

TEST_F(restoring, no_object_comes_back_as_another) {
  const std::vector<std::string> objects = {
    "ark:/1/p1", "ark:/2/p1",   "INST/p1",       "INST/p_1", "INST/p 1",
    "inst/p1",   "INST/a/p1",   "p1",            "INST/p1.tar",
    "INST/.p1",  "INST/object.p1", "INST/" + std::string(200, 'n'),
    "INST/" + std::string(201, 'n'), "INST/" + std::string(202, 'n')};
  for (const auto& object : objects) {
    store(object, {{"data/a", object}});
    for (const auto& order :
         {an_order(order_kind::restore_object, object),
          an_order(order_kind::restore_file, object, "data/a")}) {
      const auto out = run(order);
      ASSERT_EQ(out.says, verdict::done) << object << ": " << out.reason;
    }
  }
  std::size_t bags = 0, folders = 0;
  for (const auto& x : fs::directory_iterator{home.path() / "back/INST"})
    ++(x.is_directory() ? folders : bags);
  EXPECT_EQ(bags, objects.size());
  EXPECT_EQ(folders, objects.size());
  for (const auto* ordinary : {"p1", "p_1", "object.p1"}) {
    const auto name = home.path() / "back/INST" / ordinary;
    EXPECT_EQ(content_of(name / "data/a"), "INST/" + std::string{ordinary});
    EXPECT_TRUE(fs::exists(name.string() + ".tar"));
  }
}

TEST_F(restoring, a_repeat_gives_the_same_and_records_it_once) {
  store("INST/photos", a_bag);
  const auto order = an_order(order_kind::restore_object, "INST/photos");
  auto job = job_of(order);
  ASSERT_EQ(run("restore_object", job).says, verdict::done);
  auto again = job_of(order);
  ASSERT_EQ(run("restore_object", again).says, verdict::done);
  EXPECT_EQ(events("INST/photos", premis_types::dissemination).size(), 1u);
}

TEST_F(restoring, takes_a_whole_copy_where_another_is_damaged) {
  store("INST/photos", a_bag, {"local", "far"});
  damage("local", "first");
  const auto out = run(an_order(order_kind::restore_object, "INST/photos"));
  EXPECT_EQ(out.says, verdict::done) << out.reason;
}

TEST_F(restoring, gives_nothing_back_that_is_not_what_it_was) {
  store("INST/photos", a_bag);
  damage("local", "first");
  const auto out = run(an_order(order_kind::restore_object, "INST/photos"));
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_TRUE(says(out, "digest")) << out.reason;
  EXPECT_FALSE(fs::exists(home.path() / "back/INST/photos.tar"));
  EXPECT_TRUE(events("INST/photos", premis_types::dissemination).empty());
}

TEST_F(restoring, an_inventory_that_is_behind_gives_its_own_version) {
  store("INST/photos", a_bag);
  auto later = a_bag;
  later["data/a.txt"] = "later";
  later.erase("data/deep/b c.bin");
  later["data/new.txt"] = "new";
  store_unrecorded("INST/photos", later);
  const auto out = run(an_order(order_kind::restore_object, "INST/photos"));
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  const auto files = unpacked(home.path() / "back/INST/photos.tar");
  EXPECT_EQ(files.at("data/a.txt"), "first");
  EXPECT_EQ(files.count("data/deep/b c.bin"), 1u) << "though it was deleted";
  EXPECT_EQ(files.count("data/new.txt"), 0u);
  ASSERT_EQ(
    run(an_order(order_kind::restore_file, "INST/photos", "data/a.txt")).says,
    verdict::done);
  EXPECT_EQ(content_of(home.path() / "back/INST/photos/data/a.txt"), "first");
}

TEST_F(restoring, an_inventory_that_is_ahead_gives_nothing_else) {
  store_unrecorded("INST/photos", {{"data/a.txt", "before"}});
  store("INST/photos", a_bag, {"far"});
  targets["far"]->remove("INST/photos");
  tools->storage["far"] = targets["local"];
  const auto out = run(an_order(order_kind::restore_object, "INST/photos"));
  EXPECT_EQ(out.says, verdict::failed) << "what is stored is not what is known";
  EXPECT_TRUE(says(out, "no version")) << out.reason;
}

TEST_F(restoring, asks_storage_for_no_list_of_the_object_for_a_file) {
  store("INST/photos", a_bag, {"local", "far"});
  ASSERT_EQ(run(an_order(order_kind::restore_object, "INST/photos")).says,
            verdict::done);
  EXPECT_EQ(targets["local"]->shows + targets["far"]->shows, 0);
}

TEST_F(restoring, tries_again_while_storage_is_away) {
  store("INST/photos", a_bag);
  targets["local"]->away = true;
  EXPECT_EQ(run(an_order(order_kind::restore_object, "INST/photos")).says,
            verdict::retry);
}

TEST_F(restoring, is_for_the_owner_alone) {
  store("INST/photos", a_bag);
  auto job = job_of(an_order(order_kind::restore_object, "INST/photos"));
  job.user = "OTHER";
  const auto out = run("restore_object", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_FALSE(fs::exists(home.path() / "back/OTHER"));
}

TEST_F(restoring, waits_for_whoever_works_on_the_object) {
  store("INST/photos", a_bag);
  const auto now = engine_clock::system().now();
  ASSERT_TRUE(*tools->inventory->lock(
    {"INST/photos", "jid-ingest", 1, now + object_lock_us}, now));
  const auto order = an_order(order_kind::restore_object, "INST/photos");
  EXPECT_EQ(run(order).says, verdict::not_yet);
  ASSERT_FALSE(tools->inventory->unlock_all("jid-ingest", any_token));
  EXPECT_EQ(run(order).says, verdict::done);
  EXPECT_TRUE(*tools->inventory->lock(
    {"INST/photos", "jid-next", 1, now + object_lock_us}, now))
    << "the restoration gave its lock up";
}

// -- a file -------------------------------------------------------------------

TEST_F(restoring, a_file_comes_back_under_its_path) {
  store("INST/photos", a_bag);
  const auto out =
    run(an_order(order_kind::restore_file, "INST/photos", "data/deep/b c.bin"));
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(content_of(home.path() / "back/INST/photos/data/deep/b c.bin"),
            a_bag.at("data/deep/b c.bin"));
  const auto all = events("INST/photos", premis_types::dissemination);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].file, "data/deep/b c.bin");
}

TEST_F(restoring, a_file_that_is_not_there_cannot_be_had) {
  store("INST/photos", a_bag);
  EXPECT_EQ(
    run(an_order(order_kind::restore_file, "INST/photos", "data/none")).says,
    verdict::rejected);
}

// -- what an order must be ----------------------------------------------------

TEST_F(restoring, row_p24_an_order_of_another_kind_is_not_run_and_says_so) {
  store("INST/photos", a_bag);
  for (const auto& [kind, topic] : words_of<order_kind>)
    for (const auto& [other, name] : words_of<order_kind>) {
      if (kind == other)
        continue;
      auto job = job_of(an_order(kind, "INST/photos"));
      const auto out = run(std::string{name}, job);
      EXPECT_EQ(out.says, verdict::failed) << topic << " in " << name;
      EXPECT_TRUE(says(out, std::string{topic})) << out.reason;
    }
  EXPECT_TRUE(is_stored("INST/photos", "local"));
  EXPECT_EQ(targets["local"]->reads, 0);
  auto none = job_of(an_order(order_kind::restore_object, "INST/photos"));
  none.more.erase(order_member);
  EXPECT_EQ(run("restore_object", none).says, verdict::failed);
}

TEST_F(restoring, row_p25_files_and_objects_keep_to_their_own_topics) {
  store("INST/photos", a_bag);
  auto file =
    job_of(an_order(order_kind::restore_object, "INST/photos", "data/a.txt"));
  EXPECT_EQ(run("restore_object", file).says, verdict::failed);
  auto object = job_of(an_order(order_kind::restore_file, "INST/photos"));
  EXPECT_EQ(run("restore_file", object).says, verdict::failed);
  EXPECT_FALSE(fs::exists(home.path() / "back/INST"));
}
// -- splitting ----------------------------------------------------------------

TEST_F(restoring, an_order_is_one_job_with_its_work_item) {
  store("INST/photos", a_bag);
  const auto jobs = split(an_order(order_kind::restore_object, "INST/photos"));
  ASSERT_EQ(jobs.size(), 1u) << last_split.reason;
  EXPECT_EQ(jobs[0].what.identifier, "INST/photos");
  const auto item = work_item_in(jobs[0].more);
  ASSERT_TRUE(item && *item);
  EXPECT_EQ((**item).action, item_action::restore_object);
  EXPECT_EQ((**item).stage, item_stage::requested);
  EXPECT_EQ((**item).user, "operator=ann");
  EXPECT_EQ((**item).institution, "INST");
}

TEST_F(restoring, the_work_item_says_how_it_ended) {
  store("INST/photos", a_bag);
  auto jobs = split(an_order(order_kind::restore_object, "INST/photos"));
  ASSERT_EQ(jobs.size(), 1u);
  ASSERT_EQ(run("restore_object", jobs[0]).says, verdict::done);
  const auto item = work_item_in(jobs[0].more);
  ASSERT_TRUE(item && *item);
  EXPECT_EQ((**item).stage, item_stage::resolve);
  EXPECT_EQ((**item).status, item_status::success);
  EXPECT_NE((**item).outcome.find("photos.tar"), std::string::npos);
}

class meeting_orders : public restoring {
protected:
  meeting_orders() {
    store("INST/photos", a_bag);
  }

  /// A deletion of it that is not over, of before.
  void open_deletion(item_id id) {
    batch_row older;
    older.id = id;
    older.user = "INST";
    older.info = make_order(an_order(order_kind::delete_item, "INST/photos"),
                            {.uuid = "bid-0",
                             .user = "INST",
                             .collection = "photos",
                             .source = "shell"})
                   .info;
    older.status.state = batch_state::processing;
    known->rows.push_back(older);
  }

  void split_restoration(const std::string& source) {
    split(an_order(order_kind::restore_object, "INST/photos"), source);
  }
};

TEST_F(meeting_orders, one_of_a_log_is_refused_while_an_older_one_is_open) {
  open_deletion(10);
  split_restoration("kafka");
  EXPECT_EQ(last_split.says, verdict::rejected);
  EXPECT_TRUE(says(last_split, "batch 10")) << last_split.reason;
}

TEST_F(meeting_orders, one_of_a_log_does_not_meet_itself) {
  split_restoration("kafka");
  EXPECT_EQ(last_split.says, verdict::done) << last_split.reason;
}

TEST_F(meeting_orders, one_that_a_door_has_accepted_is_not_asked_again) {
  open_deletion(10);
  split_restoration("shell");
  EXPECT_EQ(last_split.says, verdict::done) << last_split.reason;
}

TEST_F(meeting_orders, the_older_one_may_be_behind_very_many_batches) {
  batch_row other;
  other.user = "INST";
  for (other.id = 11; other.id <= 1'010; ++other.id)
    known->rows.push_back(other);
  open_deletion(1'011);
  split_restoration("kafka");
  EXPECT_EQ(last_split.says, verdict::rejected);
  EXPECT_TRUE(says(last_split, "batch 1011")) << last_split.reason;
}

TEST_F(restoring, batches_that_are_no_orders_go_to_the_other_splitter) {
  batch_document plain;
  plain.uuid = "bid-1";
  plain.user = "INST";
  plain.collection = "photos";
  handle_item item;
  item.item.body = encode(plain);
  EXPECT_EQ(splitter({item, stage, &collection}).reason, "not an order");
}

TEST_F(restoring, waits_while_the_disk_has_no_room) {
  store("INST/x", {{"data/a", "a"}});
  const auto disk = std::filesystem::space(tools->work_folder);
  const auto both = {an_order(order_kind::restore_object, "INST/x"),
                     an_order(order_kind::restore_file, "INST/x", "data/a")};
  // Others may give back what they have taken.
  tools->provision.free_min = disk.available + (disk.capacity - disk.free) / 2;
  for (const auto& order : both) {
    const auto out = run(order);
    EXPECT_EQ(out.says, verdict::not_yet);
    EXPECT_TRUE(says(out, "no room for")) << out.reason;
  }
  tools->provision.free_min = disk.capacity;
  for (const auto& order : both) {
    const auto out = run(order);
    EXPECT_EQ(out.says, verdict::failed);
    EXPECT_TRUE(says(out, "too small for")) << out.reason;
  }
  EXPECT_TRUE(std::filesystem::is_empty(tools->work_folder));
  tools->provision.free_min = 0;
  EXPECT_EQ(run(an_order(order_kind::restore_object, "INST/x")).says,
            verdict::done);
}

/// Cannot give up locks for a moment.
class slow_to_unlock final : public memory_inventory {
public:
  caf::error unlock_all(const std::string& holder,
                        std::uint64_t token) override {
    if (failures_left-- > 0)
      return caf::make_error(ec::store_failed, std::string{"not now"});
    return memory_inventory::unlock_all(holder, token);
  }

  int failures_left = 1;
};

TEST_F(restoring, leaves_no_lock_behind_that_others_would_wait_for) {
  tools->inventory = std::make_shared<slow_to_unlock>();
  store("INST/x", {{"data/a", "a"}});
  auto job = job_of(an_order(order_kind::restore_object, "INST/x"));
  EXPECT_EQ(run("restore_object", job).says, verdict::retry);
  EXPECT_EQ(run("restore_object", job).says, verdict::done);
  auto next = job_of(an_order(order_kind::restore_object, "INST/x"), "jid-2");
  EXPECT_EQ(run("restore_object", next).says, verdict::done);
  EXPECT_EQ(events("INST/x", premis_types::dissemination).size(), 2u)
    << "what was done again is told once";
}

} // namespace
} // namespace depositd::aptrust::testing
