// Bags for which a disk has no room.

#include "tests/adapters/processing/aptrust/ingest_world.hpp"

namespace depositd::aptrust::testing {
namespace {

class ingest_room : public ingest_world {};

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
    fs::copy_file(*of_->path_of(name), to, code);
    return code ? caf::make_error(ec::store_failed, code.message())
                : caf::error{};
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    return of_->remove(name, etag);
  }

private:
  std::shared_ptr<receiving_place> of_;
};

TEST_F(ingest_room, a_bag_waits_while_the_disk_has_no_room_for_it) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "reingest"), "");
  tools->provision.free_min = fs::space(tools->work_folder).capacity;
  const auto out = run("stage", job);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_NE(out.reason.find("no room for"), std::string::npos) << out.reason;
  EXPECT_EQ(item_of(job).status, item_status::pending);
  EXPECT_FALSE(fs::exists(folder(job) / "staged" / "data"));
  tools->provision.free_min = 0;
  EXPECT_EQ(run("stage", job).says, verdict::done);
  EXPECT_FALSE(fs::exists(folder(job) / "expected"));
}

TEST_F(ingest_room, a_bag_of_a_place_elsewhere_waits_before_it_is_fetched) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  tools->receiving["test"] =
    std::make_shared<distant_place>(std::move(tools->receiving["test"]));
  tools->provision.free_min = fs::space(tools->work_folder).capacity;
  EXPECT_EQ(run("prefetch", job).says, verdict::not_yet);
  EXPECT_FALSE(fs::exists(folder(job) / "bag.tar"));
  tools->provision.free_min = 0;
  EXPECT_EQ(run_through(job), "");
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

} // namespace
} // namespace depositd::aptrust::testing
