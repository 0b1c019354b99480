#include "adapters/processing/merritt/folder_sweep.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include <sys/fsuid.h>
#include <unistd.h>

namespace depositd::merritt {
namespace {

namespace fs = std::filesystem;

/// Batches and jobs by their uuids.
struct known_work final : work_reader {
  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    if (away)
      return caf::make_error(ec::overloaded, std::string{"away"});
    if (!known_batches.contains(x.uuid))
      return std::vector<batch_row>{};
    return std::vector<batch_row>{batch_row{}};
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    if (away)
      return caf::make_error(ec::overloaded, std::string{"away"});
    const auto at = states.find(x.uuid);
    if (at == states.end())
      return std::vector<job_row>{};
    job_row row;
    row.status.state = at->second;
    return std::vector<job_row>{row};
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  std::set<std::string> known_batches;
  std::map<std::string, job_state> states;
  bool away = false;
};

class folder_sweep_test : public ::testing::Test {
protected:
  /// With a file in it, as old as two hours.
  fs::path make(const std::string& name) {
    const auto out = home.path() / name;
    fs::create_directories(out / "producer");
    std::ofstream{out / "producer" / "a"} << "bytes";
    age(out);
    age(out.parent_path());
    return out;
  }

  static void age(const fs::path& x) {
    fs::last_write_time(x, fs::file_time_type::clock::now()
                             - std::chrono::hours{2});
  }

  folder_sweep a_sweep(bool all_ours = true) {
    folder_sweep_options options;
    options.work = home.path();
    options.reads = work;
    options.all_ours = all_ours;
    return folder_sweep{std::move(options)};
  }

  std::uint64_t removed(folder_sweep& by) {
    const auto done = by.run();
    EXPECT_TRUE(done) << render(done.error());
    return done ? done->removed : 0;
  }

  temporary_folder home;
  std::shared_ptr<known_work> work = std::make_shared<known_work>();
};

TEST_F(folder_sweep_test, removes_what_no_job_needs_and_nothing_else) {
  work->known_batches = {"bid-1"};
  std::vector<fs::path> kept;
  for (const auto state :
       {job_state::pending, job_state::held, job_state::downloading,
        job_state::storing, job_state::failed}) {
    const auto uuid = "jid-" + word(state);
    work->states[uuid] = state;
    kept.push_back(make("bid-1/" + uuid));
  }
  work->states["jid-gone"] = job_state::deleted;
  work->states["jid-through"] = job_state::completed;
  const auto gone = make("bid-1/jid-gone");
  const auto through = make("bid-1/jid-through");
  const auto forgotten = make("bid-1/jid-unknown");
  const auto split = make("bid-1/split");
  const auto minter = make(".minter");
  const auto strange = make("notes");
  auto sweep = a_sweep();
  EXPECT_EQ(removed(sweep), 3u);
  for (const auto& x : {gone, through, forgotten})
    EXPECT_FALSE(fs::exists(x)) << x;
  for (const auto& x : kept)
    EXPECT_TRUE(fs::exists(x / "producer" / "a")) << x;
  for (const auto& x : {split, minter, strange})
    EXPECT_TRUE(fs::exists(x)) << x;
}

TEST_F(folder_sweep_test, removes_batches_that_were_forgotten) {
  const auto batch = make("bid-9/jid-1").parent_path();
  auto sweep = a_sweep();
  EXPECT_EQ(removed(sweep), 1u);
  EXPECT_FALSE(fs::exists(batch));
}

TEST_F(folder_sweep_test, leaves_what_may_be_somebody_elses) {
  const auto theirs = make("bid-8/jid-1");
  const auto ours = make("bid-9/jid-2");
  work->known_batches = {"bid-9"};
  work->states["jid-2"] = job_state::failed;
  auto sweep = a_sweep(false);
  const auto first = sweep.run();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->removed, 0u);
  EXPECT_EQ(first->unknown, 1u);
  work->known_batches.clear(); // ours is forgotten
  EXPECT_EQ(removed(sweep), 1u);
  EXPECT_TRUE(fs::exists(theirs));
  EXPECT_FALSE(fs::exists(ours));
}

TEST_F(folder_sweep_test, leaves_what_has_just_changed) {
  const auto fresh = make("bid-1/jid-1");
  fs::last_write_time(fresh.parent_path(), fs::file_time_type::clock::now());
  auto sweep = a_sweep();
  EXPECT_EQ(removed(sweep), 0u);
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(folder_sweep_test, removes_nothing_while_nobody_knows_the_jobs) {
  const auto folder = make("bid-1/jid-1");
  work->away = true;
  auto sweep = a_sweep();
  EXPECT_FALSE(sweep.run());
  EXPECT_TRUE(fs::exists(folder));
}

/// Whom modes of files hold for, which are nothing to root; for this thread.
class ordinary_account {
public:
  explicit ordinary_account(const fs::path& home) {
    if (::geteuid() != 0)
      return;
    EXPECT_EQ(::chown(home.c_str(), nobody, nobody), 0);
    ::setfsuid(nobody);
  }

  ~ordinary_account() {
    ::setfsuid(::geteuid());
  }

private:
  static constexpr unsigned nobody = 65'534;
};

TEST_F(folder_sweep_test, passes_over_what_it_cannot_look_into) {
  const ordinary_account account{home.path()};
  std::vector<fs::path> over;
  for (const auto* batch : {"bid-1", "bid-2", "bid-3", "bid-4"}) {
    work->known_batches.insert(batch);
    over.push_back(make(batch + std::string{"/jid-of-"} + batch));
  }
  fs::permissions(home.path() / "bid-2", fs::perms::none);
  auto sweep = a_sweep();
  EXPECT_EQ(removed(sweep), 3u);
  fs::permissions(home.path() / "bid-2", fs::perms::owner_all);
  EXPECT_EQ(removed(sweep), 1u);
  work->away = true;
  EXPECT_FALSE(sweep.run());
}

TEST_F(folder_sweep_test, follows_no_links) {
  const auto outside = make("precious/jid-1");
  fs::create_directory_symlink(outside.parent_path(), home.path() / "bid-1");
  const auto batch = make("bid-2/jid-2").parent_path();
  fs::create_directory_symlink(outside, batch / "jid-3");
  age(batch);
  auto sweep = a_sweep();
  removed(sweep);
  EXPECT_TRUE(fs::exists(outside / "producer" / "a"));
}

TEST_F(folder_sweep_test, goes_on_where_its_bound_stopped_it) {
  for (int i = 0; i < 5; ++i)
    make("bid-" + std::to_string(i) + "/jid-1");
  folder_sweep_options options;
  options.work = home.path();
  options.reads = work;
  options.all_ours = true;
  options.folders_max = 2;
  folder_sweep sweep{std::move(options)};
  EXPECT_EQ(removed(sweep), 2u);
  EXPECT_EQ(removed(sweep), 2u);
  EXPECT_EQ(removed(sweep), 1u);
}

TEST_F(folder_sweep_test, gets_to_all_though_many_stay) {
  for (int i = 0; i < 5; ++i) {
    const auto name = std::to_string(i);
    work->known_batches.insert("bid-" + name);
    work->states["jid-" + name] =
      i % 2 == 0 ? job_state::failed : job_state::deleted;
    make("bid-" + name + "/jid-" + name);
  }
  folder_sweep_options options;
  options.work = home.path();
  options.reads = work;
  options.folders_max = 2;
  folder_sweep sweep{std::move(options)};
  std::uint64_t sum = 0;
  for (int i = 0; i < 5; ++i)
    sum += removed(sweep);
  EXPECT_EQ(sum, 2u);
}

} // namespace
} // namespace depositd::merritt
