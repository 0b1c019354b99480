// Bags for which a disk has no room.

#include "tests/adapters/processing/aptrust/ingest_world.hpp"

#include <functional>
#include <utility>

namespace depositd::aptrust::testing {
namespace {

class ingest_room : public ingest_world {
protected:
  /// Others have taken what there is, and may give it back.
  void fill_disk() {
    const auto disk = fs::space(tools->work_folder);
    tools->provision.free_min =
      disk.available + (disk.capacity - disk.free) / 2;
  }

  /// Whatever goes from it, there is no room.
  void shrink_disk() {
    tools->provision.free_min = fs::space(tools->work_folder).capacity;
  }

  void free_disk() {
    tools->provision.free_min = 0;
  }
};

/// A folder in which nothing can be read: bags have to be fetched.
class distant_place final : public receiving_place {
public:
  explicit distant_place(std::shared_ptr<receiving_place> of)
    : of_(std::move(of)) {
    // nop
  }

  caf::error
  each(const std::function<caf::error(const received_bag&)>& take) override {
    return of_->each(take);
  }

  caf::expected<received_bag> look(const std::string& name) override {
    return of_->look(name);
  }

  std::optional<fs::path> path_of(const std::string&) override {
    return std::nullopt;
  }

  caf::error fetch(const std::string& name, const fs::path& to) override {
    std::error_code code;
    if (const auto now = std::exchange(meanwhile, nullptr))
      now();
    if (!page.empty()) {
      std::ofstream{to} << page;
      return {};
    }
    fs::copy_file(*of_->path_of(name), to, code);
    return code ? caf::make_error(ec::store_failed, code.message())
                : caf::error{};
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    return of_->remove(name, etag);
  }

  /// What somebody who stands before the place says instead of each bag.
  std::string page;
  std::function<void()> meanwhile; ///< called while the next bag is fetched

private:
  std::shared_ptr<receiving_place> of_;
};

TEST_F(ingest_room, what_a_place_says_instead_of_a_bag_is_not_called_bad) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  auto place =
    std::make_shared<distant_place>(std::move(tools->receiving["test"]));
  tools->receiving["test"] = place;
  place->page = "<html>sign in first</html>";
  const auto out = run("prefetch", job);
  EXPECT_EQ(out.says, verdict::retry) << out.reason;
  EXPECT_NE(out.reason.find("came with 26 bytes"), std::string::npos)
    << out.reason;
  place->page.clear();
  EXPECT_EQ(run_through(job), "");
}

TEST_F(ingest_room, a_bag_waits_while_the_disk_has_no_room_for_it) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "reingest"), "");
  fill_disk();
  const auto out = run("stage", job);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_NE(out.reason.find("no room for"), std::string::npos) << out.reason;
  EXPECT_EQ(item_of(job).status, item_status::pending);
  EXPECT_FALSE(fs::exists(folder(job) / "staged" / "data"));
  free_disk();
  EXPECT_EQ(run("stage", job).says, verdict::done);
  EXPECT_FALSE(fs::exists(folder(job) / "expected"));
}

TEST_F(ingest_room, a_bag_of_a_place_elsewhere_waits_before_it_is_fetched) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  tools->receiving["test"] =
    std::make_shared<distant_place>(std::move(tools->receiving["test"]));
  fill_disk();
  EXPECT_EQ(run("prefetch", job).says, verdict::not_yet);
  EXPECT_FALSE(fs::exists(folder(job) / "bag.tar"));
  free_disk();
  EXPECT_EQ(run_through(job), "");
}

TEST_F(ingest_room, a_bag_that_waits_keeps_nothing_that_others_wait_for) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  tools->receiving["test"] =
    std::make_shared<distant_place>(std::move(tools->receiving["test"]));
  ASSERT_EQ(run_through(job, "reingest"), "");
  EXPECT_TRUE(fs::exists(folder(job) / "bag.tar"));
  fill_disk();
  EXPECT_EQ(run("stage", job).says, verdict::not_yet);
  EXPECT_FALSE(fs::exists(folder(job) / "bag.tar"));
  EXPECT_FALSE(fs::exists(folder(job) / "expected"));
  // It is not fetched in vain, either.
  EXPECT_EQ(run("stage", job).says, verdict::not_yet);
  EXPECT_FALSE(fs::exists(folder(job) / "bag.tar"));
  free_disk();
  EXPECT_EQ(run_through(job, "cleanup"), "");
}

TEST_F(ingest_room, a_bag_larger_than_its_disk_does_not_wait) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "reingest"), "");
  shrink_disk();
  const auto out = run("stage", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("too small for"), std::string::npos) << out.reason;
  EXPECT_TRUE(item_of(job).needs_admin_review);
  free_disk();
  EXPECT_EQ(run_through(job, "stage"), "") << "requeued with another disk";
}

TEST_F(ingest_room, a_bag_larger_than_its_disk_is_not_fetched) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  tools->receiving["test"] =
    std::make_shared<distant_place>(std::move(tools->receiving["test"]));
  shrink_disk();
  EXPECT_EQ(run("prefetch", job).says, verdict::failed);
  EXPECT_FALSE(fs::exists(folder(job) / "bag.tar"));
}

TEST_F(ingest_room, what_cannot_be_staged_leaves_the_disk_to_others) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "reingest"), "");
  // Where a folder should come there is a file.
  fs::create_directories(folder(job) / "staged" / "data");
  std::ofstream{folder(job) / "staged" / "data" / "more"} << "in the way";
  EXPECT_EQ(run("stage", job).says, verdict::retry);
  EXPECT_TRUE(fs::exists(folder(job) / "staged")) << "a retry goes on";
  attempt = 3;
  EXPECT_EQ(run("stage", job).says, verdict::retry);
  EXPECT_FALSE(fs::exists(folder(job) / "staged"));
  attempt = 1;
  EXPECT_EQ(run_through(job, "stage"), "") << "an operator has it tried again";
}

TEST_F(ingest_room, a_place_leaves_a_worker_to_bags_of_others) {
  auto place =
    std::make_shared<distant_place>(std::move(tools->receiving["test"]));
  tools->receiving = {{"test", place}, {"other", place}};
  stage.workers = 2;
  auto first = job_of(receive(parts_of("first", two_files)), "jid-1");
  auto second = job_of(receive(parts_of("second", two_files)), "jid-2");
  auto others = job_of(receive(parts_of("others", two_files)), "jid-3");
  auto item = item_of(others);
  item.bucket = "other";
  put_work_item(others.more, item);
  outcome waiting;
  outcome done;
  place->meanwhile = [&] {
    waiting = run("prefetch", second);
    done = run("prefetch", others);
  };
  EXPECT_EQ(run("prefetch", first).says, verdict::done);
  EXPECT_EQ(waiting.says, verdict::not_yet) << waiting.reason;
  EXPECT_EQ(waiting.reason, "the bag: others of the receiving place test are "
                            "being fetched");
  EXPECT_EQ(done.says, verdict::done) << done.reason;
  EXPECT_EQ(run("prefetch", second).says, verdict::done);
}

} // namespace
} // namespace depositd::aptrust::testing
