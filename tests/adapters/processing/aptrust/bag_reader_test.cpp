#include "adapters/processing/merritt/splitting.hpp"
#include "tests/adapters/processing/aptrust/ingest_world.hpp"
#include "tests/support/captured_log.hpp"

namespace depositd::aptrust::testing {
namespace {

/// A place from which some may not be taken away.
class guarded_place : public receiving_place {
public:
  guarded_place(std::shared_ptr<receiving_place> of, std::string guarded)
    : of_(std::move(of)), guarded_(std::move(guarded)) {
    // nop
  }

  caf::error
  each(const std::function<caf::error(const received_bag&)>& take) override {
    return of_->each(take);
  }

  caf::expected<received_bag> look(const std::string& name) override {
    return of_->look(name);
  }

  std::optional<fs::path> path_of(const std::string& name) override {
    return of_->path_of(name);
  }

  caf::error fetch(const std::string& name, const fs::path& to) override {
    return of_->fetch(name, to);
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    if (name.starts_with(guarded_)) {
      ++tries;
      return caf::make_error(ec::store_failed,
                             "s3://bags/" + name + ": AccessDenied");
    }
    return of_->remove(name, etag);
  }

  int tries = 0;

private:
  const std::shared_ptr<receiving_place> of_;
  const std::string guarded_;
};

class bag_reading : public ingest_world {
protected:
  bag_reader reader() {
    bag_reader_options out;
    out.place = "test";
    out.user = "test.edu";
    out.collection = "photos";
    out.bags = tools->receiving.at("test");
    out.reads = items;
    out.inventory = tools->inventory;
    out.submit = [this](submit_batch x) -> caf::expected<item_id> {
      if (refusal)
        return refusal;
      submitted.push_back(x);
      batch_row row;
      row.id = submitted.size();
      row.info = x.info;
      items->batch_rows.push_back(row);
      return row.id;
    };
    out.leads = [this] { return leads; };
    out.now = [this] { return now; };
    out.wall = [this] { return wall.value_or(now); };
    return bag_reader{std::move(out)};
  }

  bags_read read() {
    const auto done = reader().run();
    EXPECT_TRUE(done) << render(done.error());
    return done ? *done : bags_read{};
  }

  /// What became of the last that was submitted.
  void becomes(job_state state, bool submit_again = false,
               const std::string& note = {}) {
    job_row row;
    row.info.uuid = merritt::job_uuid(submitted.back().info.uuid, 1);
    row.info.pipeline = "aptrust";
    if (state != job_state::completed)
      row.queue = "aptrust.ingest02_bag_validation";
    row.status.state = state;
    row.status.submit_again = submit_again;
    row.status.note = note;
    row.status.changed_us = now;
    items->rows = {row};
  }

  /// So did all of them.
  void all_are_invalid() {
    items->rows.clear();
    std::vector<job_row> rows;
    for (const auto& x : submitted) {
      job_row row;
      row.info.uuid = merritt::job_uuid(x.info.uuid, 1);
      row.info.pipeline = "aptrust";
      row.queue = "aptrust.ingest02_bag_validation";
      row.status.state = job_state::failed;
      row.status.submit_again = true;
      row.status.changed_us = now;
      rows.push_back(row);
    }
    items->rows = rows;
  }

  std::vector<submit_batch> submitted;
  caf::error refusal;
  bool leads = true;
  micros now = engine_clock::system().now();
  std::optional<micros> wall; ///< what the machine shows, if it is not that
  static constexpr micros hour = micros{3'600} * 1'000'000;
  static constexpr micros day = 24 * hour;
};

TEST_F(bag_reading, row_p34_submits_a_new_bag_as_a_batch_of_one_job) {
  const auto bag = receive(parts_of("photos", two_files));
  EXPECT_EQ(read().submitted, 1u);
  ASSERT_EQ(submitted.size(), 1u);
  const auto& x = submitted.front();
  EXPECT_EQ(x.user, "test.edu");
  EXPECT_EQ(x.info.collection, "photos");
  EXPECT_EQ(x.info.file_name, "photos.tar");
  const auto document = decode_batch_document(x.document);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->type, "file");
  EXPECT_EQ(document->what.identifier, "test.edu/photos");
  const auto item = work_item_in(document->more);
  ASSERT_TRUE(item && *item);
  EXPECT_EQ((*item)->etag, bag.etag);
  EXPECT_EQ((*item)->size, bag.bytes);
  EXPECT_EQ((*item)->bucket, "test");
  EXPECT_EQ((*item)->status, item_status::pending);
  EXPECT_NE((*item)->queued_at, never);
}

TEST_F(bag_reading, says_once_what_is_no_bag) {
  const auto folder = home.path() / "receiving";
  std::filesystem::create_directories(folder);
  const auto put = [&](const std::string& name) {
    std::ofstream{folder / name} << "x";
    std::filesystem::last_write_time(
      folder / name,
      std::filesystem::file_time_type::clock::now() - std::chrono::hours{1});
  };
  using strings = std::vector<std::string>;
  put("photos.zip");
  put("a\nb\xff.tar");
  std::filesystem::create_symlink("photos.zip", folder / "now.tar");
  auto looks = reader();
  EXPECT_EQ(looks.run()->passed_over, (strings{"a?b\\xff.tar", "photos.zip"}));
  EXPECT_EQ(looks.run()->passed_over, strings{});
  std::filesystem::remove(folder / "photos.zip");
  EXPECT_EQ(looks.run()->passed_over, strings{});
  put("photos.zip");
  EXPECT_EQ(looks.run()->passed_over, strings{"photos.zip"});
}

TEST_F(bag_reading, row_p34_submits_it_once) {
  receive(parts_of("photos", two_files));
  EXPECT_EQ(read().submitted, 1u);
  EXPECT_EQ(read().submitted, 0u) << "not even before it is split";
  becomes(job_state::storing);
  EXPECT_EQ(read().submitted, 0u);
}

TEST_F(bag_reading, row_p34_does_not_try_again_what_has_failed) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::failed, true, "the bag is not valid");
  EXPECT_EQ(read().submitted, 0u);
}

TEST_F(bag_reading, row_p34_a_bag_that_was_sent_again_is_a_new_item) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::failed, true, "the bag is not valid");
  receive(parts_of("photos", {{"a.txt", "better\n"}}));
  EXPECT_EQ(read().submitted, 1u);
  ASSERT_EQ(submitted.size(), 2u);
  EXPECT_NE(submitted[0].info.uuid, submitted[1].info.uuid);
}

TEST_F(bag_reading, row_p34_looks_whether_the_object_is_still_there) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::completed);
  inventory_entry entry;
  entry.identifier = "test.edu/photos";
  entry.owner = "test.edu";
  entry.collection = "photos";
  entry.version.number = 1;
  entry.version.job = "jid-1";
  ASSERT_FALSE(tools->inventory->record(entry));
  EXPECT_EQ(read().submitted, 0u);
  // As if the object had been deleted.
  auto none = open_sqlite_inventory(":memory:");
  ASSERT_TRUE(none);
  tools->inventory = std::move(*none);
  EXPECT_EQ(read().submitted, 1u);
  EXPECT_EQ(read().submitted, 0u) << "the second waits now";
}

TEST_F(bag_reading, what_was_cancelled_may_come_again) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::failed, true, "cancelled: a newer version has come");
  EXPECT_EQ(read().submitted, 1u);
}

TEST_F(bag_reading, what_waits_for_an_administrator_waits) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::failed, false, "gave up after 3 attempts");
  EXPECT_EQ(read().submitted, 0u);
}

TEST_F(bag_reading,
       a_batch_that_failed_without_a_job_is_no_verdict_on_the_bag) {
  receive(parts_of("photos", two_files));
  read();
  items->batch_rows.back().status.state = batch_state::failed;
  items->batch_rows.back().status.changed_us = now;
  now += micros{30 * 24 * 3'600} * 1'000'000;
  const auto done = read();
  EXPECT_EQ(done.submitted, 0u) << "an administrator has it";
  EXPECT_EQ(done.removed, 0u);
  EXPECT_EQ(files_below(home.path() / "receiving"), "photos.tar");
}

TEST_F(bag_reading, a_batch_that_was_deleted_without_a_job_was_cancelled) {
  receive(parts_of("photos", two_files));
  read();
  items->batch_rows.back().status.state = batch_state::deleted;
  items->batch_rows.back().status.changed_us = now;
  now += micros{30 * 24 * 3'600} * 1'000'000;
  const auto done = read();
  EXPECT_EQ(done.submitted, 1u);
  EXPECT_EQ(done.removed, 0u);
  EXPECT_EQ(files_below(home.path() / "receiving"), "photos.tar");
}

TEST_F(bag_reading, only_tarred_bags_are_bags) {
  put("readme.txt", "hello");
  put(".hidden.tar", "hello");
  fs::create_directory(home.path() / "receiving" / "folder.tar");
  fs::create_symlink("/etc/passwd", home.path() / "receiving" / "link.tar");
  const auto done = read();
  EXPECT_EQ(done.seen, 0u);
  EXPECT_EQ(done.submitted, 0u);
}

TEST_F(bag_reading, a_bag_that_is_still_being_written_waits) {
  const auto path = home.path() / "receiving" / "photos.tar";
  std::ofstream{path} << "begin";
  fs::last_write_time(path,
                      fs::file_time_type::clock::now() + std::chrono::hours{1});
  EXPECT_EQ(read().seen, 0u);
}

TEST_F(bag_reading, tells_once_why_however_many_bags_are_refused) {
  receive(parts_of("cats", two_files));
  receive(parts_of("dogs", two_files));
  refusal = caf::make_error(ec::not_found, std::string{"no such collection"});
  const depositd::testing::captured_log log;
  auto looking = reader();
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(looking.run_and_log());
  EXPECT_EQ(log.count("bag_not_submitted"), 1u) << log.text();
  EXPECT_EQ(log.count("bags=2"), 1u) << log.text();
  refusal = caf::make_error(ec::overloaded, std::string{"draining"});
  EXPECT_FALSE(looking.run_and_log());
  EXPECT_EQ(log.count("bag_not_submitted"), 2u) << log.text();
}

TEST_F(bag_reading, one_that_is_refused_holds_up_no_other) {
  receive("a.tar", "a");
  receive("b.tar", "b");
  refusal = caf::make_error(ec::quota_reached, "as much as may be");
  auto done = read();
  EXPECT_EQ(done.seen, 2u);
  EXPECT_EQ(done.refused, 2u);
  refusal = {};
  done = read();
  EXPECT_EQ(done.submitted, 2u);
}

TEST_F(bag_reading, invalid_bags_stay_for_their_time) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::failed, true, "the bag is not valid");
  auto looking = reader();
  now += 13 * day;
  EXPECT_EQ(looking.run()->removed, 0u);
  now += day + hour;
  EXPECT_EQ(looking.run()->removed, 1u);
  EXPECT_EQ(files_below(home.path() / "receiving"), "");
}

TEST_F(bag_reading, invalid_bags_stay_for_a_while_after_a_start) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::failed, true, "the bag is not valid");
  now += 365 * day; // of a clock that is ahead
  auto looking = reader();
  EXPECT_EQ(looking.run()->removed, 0u);
  now += hour - 1;
  EXPECT_EQ(looking.run()->removed, 0u);
  now += 1;
  EXPECT_EQ(looking.run()->removed, 1u);
}

TEST_F(bag_reading, invalid_bags_stay_once_a_clock_is_set_right) {
  receive(parts_of("photos", two_files));
  read();
  becomes(job_state::failed, true, "the bag is not valid");
  wall = now;
  now += 365 * day;
  auto looking = reader();
  now += 2 * hour;
  EXPECT_EQ(looking.run()->removed, 0u);
  wall = now;
  EXPECT_EQ(looking.run()->removed, 1u);
}

TEST_F(bag_reading, what_cannot_be_taken_away_keeps_out_nobody_behind_it) {
  const auto place = std::make_shared<guarded_place>(
    tools->receiving.at("test"), "kept");
  tools->receiving["test"] = place;
  receive("kept.tar", "k");
  receive("old.tar", "o");
  EXPECT_EQ(read().submitted, 2u);
  all_are_invalid();
  auto looking = reader();
  now += 15 * day;
  receive("young.tar", "y");
  const depositd::testing::captured_log log;
  EXPECT_TRUE(looking.run_and_log());
  EXPECT_EQ(submitted.size(), 3u) << log.text();
  EXPECT_EQ(submitted.back().info.file_name, "young.tar");
  EXPECT_FALSE(place->look("old.tar"));
  EXPECT_TRUE(place->look("kept.tar"));
  EXPECT_TRUE(looking.run_and_log());
  EXPECT_EQ(place->tries, 2);
  EXPECT_EQ(log.count("bag_not_removed place=test name=\"kept.tar\" bags=1 "
                      "reason=\"s3://bags/kept.tar: AccessDenied\""),
            1u)
    << log.text();
}

TEST_F(bag_reading, takes_nothing_away_once_that_fails_again_and_again) {
  const auto place =
    std::make_shared<guarded_place>(tools->receiving.at("test"), "");
  tools->receiving["test"] = place;
  for (int k = 0; k < 30; ++k)
    receive("a" + std::to_string(k) + ".tar", "a");
  EXPECT_EQ(read().submitted, 30u);
  all_are_invalid();
  auto looking = reader();
  now += 15 * day;
  EXPECT_EQ(looking.run()->seen, 30u);
  EXPECT_EQ(place->tries, 20); // each may have taken minutes
}

TEST_F(bag_reading, says_once_that_its_place_is_away_and_that_it_is_back) {
  receive("a.tar", "a");
  auto looking = reader();
  const auto place = home.path() / "receiving";
  const depositd::testing::captured_log log;
  std::filesystem::rename(place, home.path() / "away");
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(looking.run_and_log());
  EXPECT_EQ(log.count("receiving_not_read"), 1u) << log.text();
  std::filesystem::rename(home.path() / "away", place);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(looking.run_and_log());
  EXPECT_EQ(log.count("receiving_read_again"), 1u) << log.text();
}

TEST_F(bag_reading, one_engine_of_many_looks) {
  receive(parts_of("photos", two_files));
  leads = false;
  EXPECT_EQ(read().seen, 0u);
}

} // namespace
} // namespace depositd::aptrust::testing
