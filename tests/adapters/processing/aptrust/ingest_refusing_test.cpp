// Bags that are wrong.

#include "tests/adapters/processing/aptrust/ingest_world.hpp"

namespace depositd::aptrust::testing {
namespace {

/// A folder whose depositor has a link in the bag's place whenever it is about
/// to be opened, and the bag when somebody looks.
class changing_place final : public receiving_place {
public:
  changing_place(std::unique_ptr<receiving_place> of, fs::path target)
    : of_(std::move(of)), target_(std::move(target)) {
    // nop
  }

  caf::error
  each(const std::function<caf::error(const received_bag&)>& take) override {
    return of_->each(take);
  }

  caf::expected<received_bag> look(const std::string& name) override {
    const auto path = *of_->path_of(name);
    if (fs::is_symlink(path))
      fs::rename(path.string() + ".aside", path);
    return of_->look(name);
  }

  std::optional<fs::path> path_of(const std::string& name) override {
    const auto path = *of_->path_of(name);
    fs::rename(path, path.string() + ".aside");
    fs::create_symlink(target_, path);
    return path;
  }

  caf::error fetch(const std::string& name, const fs::path& to) override {
    return of_->fetch(name, to);
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    return of_->remove(name, etag);
  }

private:
  std::unique_ptr<receiving_place> of_;
  fs::path target_;
};

TEST_F(ingest, row_p16_a_bag_with_a_wrong_digest_fails_at_once) {
  auto parts = parts_of("photos", two_files);
  parts.payload["a.txt"] = "frist\n";
  auto job = job_of(receive(parts));
  ASSERT_EQ(run_through(job, "prefetch"), "");
  const auto out = run("validate", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_NE(out.reason.find("data/a.txt"), std::string::npos) << out.reason;
  const auto item = item_of(job);
  EXPECT_EQ(item.status, item_status::failed);
  EXPECT_TRUE(item.needs_admin_review);
  EXPECT_FALSE(item.retry);
  EXPECT_EQ(files_below(home.path() / "receiving"), "photos.tar")
    << "people may look into it";
}

TEST_F(ingest, row_p16_a_missing_and_an_extra_file_fail_at_once) {
  auto missing = parts_of("photos", two_files);
  missing.payload.erase("a.txt");
  auto extra = parts_of("photos", two_files);
  extra.payload["c.txt"] = "nobody knows me\n";
  for (const auto& parts : {missing, extra}) {
    auto job = job_of(receive(parts));
    ASSERT_EQ(run_through(job, "prefetch"), "");
    EXPECT_EQ(run("validate", job).says, verdict::rejected);
  }
}

TEST_F(ingest, a_link_between_two_looks_is_not_followed) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  const auto other = home.path() / "of-another.tar";
  std::ofstream{other, std::ios::binary}
    << packed(parts_of("photos", {{"secret.txt", "secret\n"}}));
  auto place = open_folder_receiving({.folder = home.path() / "receiving"});
  ASSERT_TRUE(place);
  const auto honest = tools->receiving["test"];
  const auto changing =
    std::make_shared<changing_place>(std::move(*place), other);
  for (const auto* name : {"prefetch", "validate"}) {
    tools->receiving["test"] = changing;
    EXPECT_EQ(run(name, job).says, verdict::retry) << name;
    changing->look("photos.tar"); // which puts the bag back
    tools->receiving["test"] = honest;
    EXPECT_EQ(run(name, job).says, verdict::done) << name;
  }
}

TEST_F(ingest, row_p16_what_is_no_tar_file_fails_at_once) {
  const auto whole = packed(parts_of("photos", two_files));
  for (const auto& bytes :
       {std::string(4'096, 'x'), whole.substr(0, whole.size() / 2 - 100)}) {
    auto job = job_of(receive("photos.tar", bytes));
    EXPECT_EQ(run("prefetch", job).says, verdict::rejected);
    EXPECT_EQ(item_of(job).status, item_status::failed);
  }
}

TEST_F(ingest, names_that_are_not_utf8_are_refused_and_shown_escaped) {
  for (const auto& [name, shown] :
       {std::pair{"caf\xe9.txt", "caf\\xe9.txt"}, {"a\xff", "a\\xff"}}) {
    auto job =
      job_of(receive(parts_of("photos", {{name, "x"}, {"b.txt", "y"}})));
    const auto out = run("prefetch", job);
    EXPECT_EQ(out.says, verdict::rejected) << shown;
    EXPECT_NE(out.reason.find(std::string{"photos/data/"} + shown),
              std::string::npos)
      << out.reason;
    EXPECT_EQ(item_of(job).status, item_status::failed);
  }
}

TEST_F(ingest, names_that_no_storage_keeps_are_refused_before_they_are_staged) {
  for (const auto* name : {"CON", "dot.", "bell\a.txt"}) {
    auto job = job_of(receive(parts_of("photos", {{name, "x"}})));
    ASSERT_EQ(run_through(job, "prefetch"), "");
    const auto out = run("validate", job);
    EXPECT_EQ(out.says, verdict::rejected) << name;
    EXPECT_NE(out.reason.find(std::string{"data/"} + name), std::string::npos)
      << out.reason;
  }
}

TEST_F(ingest, paths_that_a_target_has_no_room_for_are_refused) {
  targets["far"]->path_max = 20;
  const auto ending_of = [&](const char* name) {
    auto job = job_of(receive(parts_of("photos", {{name, "x"}})));
    EXPECT_EQ(run_through(job, "prefetch"), "");
    return run("validate", job);
  };
  EXPECT_EQ(ending_of("fifteen-letters").says, verdict::done) << "20 bytes";
  const auto out = ending_of("sixteen--letters");
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_NE(out.reason.find("data/sixteen--letters"), std::string::npos);
  EXPECT_NE(out.reason.find("takes, 20"), std::string::npos) << out.reason;
  collection.storage = {"local"};
  EXPECT_EQ(ending_of("sixteen--letters").says, verdict::done);
}

TEST_F(ingest, a_bag_with_nothing_in_it_is_refused_before_it_is_staged) {
  auto bag = parts_of("photos", {});
  bag.tags.erase("bag-info.txt");
  bag.tags.erase("aptrust-info.txt");
  auto job = job_of(
    receive("photos.tar",
            tar_of({{"photos/bagit.txt", bag.tags["bagit.txt"]},
                    {"photos/manifest-sha256.txt", ""},
                    {"photos/data/", ""}})));
  ASSERT_EQ(run_through(job, "prefetch"), "");
  const auto out = run("validate", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "the bag cannot be stored: it has no file but those "
                        "that describe a bag");
}

TEST_F(ingest, nothing_is_written_outside_the_working_folder) {
  for (const auto* name :
       {"../escape", "/tmp/depositd-escape", "photos/data/../../../escape"}) {
    auto job = job_of(receive("photos.tar", tar_of({{name, "x"}})));
    EXPECT_EQ(run("prefetch", job).says, verdict::rejected) << name;
  }
  EXPECT_FALSE(fs::exists(home.path() / "escape"));
  EXPECT_FALSE(fs::exists("/tmp/depositd-escape"));
}

} // namespace
} // namespace depositd::aptrust::testing
