#include "adapters/doors/drop/drop_folder.hpp"
#include "messages/projection.hpp"

#include "adapters/stores/memory/memory_blob_store.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::drop {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The engine as the door sees it: a shard and a projector in one.
struct fake_engine {
  std::vector<submit> taken; ///< whatever it answered
  std::vector<submission_row> rows;
  control_snapshot control;
  caf::error refusal;            ///< answers every submission
  caf::error blindness;          ///< answers every question
  std::function<void()> on_take; ///< before it answers
  bool silent = false;           ///< takes submissions and does not answer
  item_id id_last = 40;
  micros now_us = 0;
};

caf::result<enqueued> take(caf::event_based_actor* self, fake_engine& engine,
                           const submit& x) {
  if (engine.refusal)
    return engine.refusal;
  if (engine.on_take)
    engine.on_take();
  engine.taken.push_back(x);
  submission_row row;
  row.id = ++engine.id_last;
  row.user = x.user;
  row.submission = x.submission;
  row.received_us = engine.now_us;
  engine.rows.push_back(row);
  if (engine.silent)
    return self->make_response_promise<enqueued>();
  return enqueued{{row.id}, 0};
}

caf::result<submissions_found> find(const fake_engine& engine,
                                    const submission_query& x) {
  if (engine.blindness)
    return engine.blindness;
  submissions_found out;
  for (const auto& row : engine.rows)
    if (row.user == x.user && row.submission.file_name == x.file_name)
      out.rows.push_back(row);
  return out;
}

caf::behavior engine_behavior(caf::event_based_actor* self,
                              fake_engine* engine) {
  return {
    [=](const submit& x) { return take(self, *engine, x); },
    [=](const submission_query& x) { return find(*engine, x); },
    [=](const watch_control&) { return control_changed{engine->control}; },
  };
}

/// Has no room for anything.
class full_blobs : public blob_store {
public:
  caf::expected<std::string> put(std::string_view) override {
    return caf::make_error(ec::store_failed, "no space left");
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    return caf::make_error(ec::not_found, sha256);
  }

  caf::error backup(const fs::path&) override {
    return {};
  }
};

/// This process may open so many descriptors more while it lives.
class few_descriptors {
public:
  explicit few_descriptors(int count) {
    const unique_fd next{::open("/dev/null", O_RDONLY)};
    ::getrlimit(RLIMIT_NOFILE, &before_);
    auto now = before_;
    now.rlim_cur = static_cast<rlim_t>(next.value() + count);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }

  few_descriptors(const few_descriptors&) = delete;
  few_descriptors& operator=(const few_descriptors&) = delete;

  ~few_descriptors() {
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

private:
  struct rlimit before_ {};
};

class drop_folder_test : public testing::actor_fixture {
protected:
  drop_folder_test() {
    fs::create_directory(user_);
    permit({"alice"});
    engine_.now_us = wall_us();
    const auto engine =
      caf::actor_cast<caf::strong_actor_ptr>(spawn(engine_behavior, &engine_));
    options_.path = root_.path();
    options_.shard = caf::actor_cast<shard_actor>(engine);
    options_.projector = caf::actor_cast<projector_actor>(engine);
    options_.blobs = blobs_;
  }

  static micros wall_us() {
    using namespace std::chrono;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch())
      .count();
  }

  void open_door() {
    door_ = spawn(drop_folder, options_);
  }

  void permit(const std::vector<std::string>& users, bool polling = true) {
    auto control = std::make_shared<control_state>();
    for (const auto& user : users)
      control->accounts[user] = {user, "hash", {}};
    control->server.drop_folder_polling = polling;
    engine_.control = control;
    if (door_)
      caf::anon_send(*door_, control_changed{control});
    settle();
  }

  void scans(int count) {
    for (int i = 0; i < count; ++i)
      advance(options_.scan_interval);
  }

  void write(const fs::path& path, const std::string& text = "<x/>") {
    std::ofstream{path, std::ios::binary} << text;
    ASSERT_TRUE(fs::exists(path));
  }

  std::string text_of(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  static micros changed_us(const fs::path& path) {
    struct stat found {};
    ::stat(path.c_str(), &found);
    return found.st_ctim.tv_sec * 1'000'000 + found.st_ctim.tv_nsec / 1'000;
  }

  temporary_folder root_;
  fs::path user_ = root_.path() / "alice";
  std::shared_ptr<blob_store> blobs_ = make_memory_blobs();
  fake_engine engine_;
  drop_folder_options options_;
  std::optional<drop_folder_self> door_;
};

TEST_F(drop_folder_test, a_whole_file_becomes_a_metadata_deposit) {
  open_door();
  write(user_ / "a.xml", "<doi_batch/>");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  const auto& got = engine_.taken[0];
  EXPECT_EQ(got.queue, "metadata");
  EXPECT_EQ(got.user, "alice");
  EXPECT_EQ(got.submission.file_name, "a.xml");
  EXPECT_EQ(got.submission.operation, "doMDUpload");
  EXPECT_EQ(got.submission.login, "alice");
  EXPECT_EQ(got.submission.source, "drop");
  EXPECT_EQ(got.submission.size, 12u);
  EXPECT_EQ(*blobs_->get(got.submission.blob), "<doi_batch/>");
  EXPECT_FALSE(fs::exists(user_ / "a.xml"));
  EXPECT_EQ(text_of(user_ / ".done/41-a.xml"), "<doi_batch/>");
}

TEST_F(drop_folder_test, keeps_its_store_when_nobody_else_does) {
  const std::weak_ptr<blob_store> store = blobs_;
  open_door();
  options_.blobs.reset();
  blobs_.reset();
  ASSERT_FALSE(store.expired()) << "a scan may be under way";
  write(user_ / "a.xml", "<x/>");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(*store.lock()->get(engine_.taken[0].submission.blob), "<x/>");
}

TEST_F(drop_folder_test, takes_nothing_once_it_has_been_ended) {
  const std::weak_ptr<blob_store> store = blobs_;
  open_door();
  options_.blobs.reset();
  blobs_.reset();
  write(user_ / "a.xml");
  scans(1);
  caf::anon_send_exit(*door_, caf::exit_reason::kill);
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::exists(user_ / "a.xml")) << "it waits for the next engine";
  EXPECT_TRUE(store.expired()) << "who has ended holds nothing";
}

TEST_F(drop_folder_test, accepted_files_are_removed_if_so_wanted) {
  options_.keep_done = false;
  open_door();
  write(user_ / "a.xml");
  scans(5);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_FALSE(fs::exists(user_ / "a.xml"));
  EXPECT_TRUE(fs::is_empty(user_ / ".done"));
}

TEST_F(drop_folder_test, a_growing_file_is_not_taken) {
  open_door();
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += "<x/>";
    write(user_ / "a.xml", text);
    scans(1);
    EXPECT_TRUE(engine_.taken.empty());
  }
  scans(1);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(*blobs_->get(engine_.taken[0].submission.blob), text);
}

TEST_F(drop_folder_test, a_file_that_a_writer_has_open_is_not_taken) {
  write(user_ / "a.xml");
  {
    const unique_fd probe{::open((user_ / "a.xml").c_str(), O_RDONLY)};
    if (::fcntl(probe.value(), F_SETLEASE, F_RDLCK) != 0)
      GTEST_SKIP() << "this file system gives no leases";
  }
  options_.files_per_scan_max = 1;
  open_door();
  std::ofstream writer{user_ / "a.xml", std::ios::app};
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  write(user_ / "b.xml");
  scans(3);
  ASSERT_EQ(engine_.taken.size(), 1u) << "the open file stands in the way";
  EXPECT_EQ(engine_.taken[0].submission.file_name, "b.xml");
  writer.close();
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u);
}

TEST_F(drop_folder_test, polling_is_switched_off_and_on) {
  open_door();
  write(user_ / "a.xml");
  scans(1);
  permit({"alice"}, false);
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  permit({"alice"}, true);
  scans(1);
  EXPECT_TRUE(engine_.taken.empty()) << "seen once since polling is on";
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, only_plain_files_are_taken) {
  temporary_folder elsewhere;
  write(elsewhere.path() / "secret.xml");
  fs::create_symlink(elsewhere.path() / "secret.xml", user_ / "link.xml");
  fs::create_directory_symlink(elsewhere.path(), root_.path() / "bob");
  fs::create_directory(user_ / "folder");
  write(user_ / "folder/a.xml");
  write(user_ / ".hidden");
  write(user_ / "a.xml.part");
  write(user_ / "a.xml.tmp");
  write(user_ / "empty.xml", "");
  write(root_.path() / "a.xml");
  ASSERT_EQ(::mkfifo((user_ / "pipe.xml").c_str(), 0600), 0);
  permit({"alice", "bob"});
  open_door();
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::is_symlink(user_ / "link.xml"));
  EXPECT_FALSE(fs::exists(user_ / ".refused"));
}

TEST_F(drop_folder_test, too_large_a_file_is_refused_with_the_reason) {
  options_.file_bytes_max = 3;
  open_door();
  write(user_ / "a.xml", "1234");
  write(user_ / "b.xml", "123");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(engine_.taken[0].submission.file_name, "b.xml");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml"), "1234");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml.reason"),
            "the file has more than 3 bytes\n");
}

TEST(drop_readings, fail_for_a_disk_without_a_fault_of_the_file) {
  EXPECT_EQ(after_open_failed(EIO), reading_state::unread);
  for (const auto code : {EACCES, EPERM, EOVERFLOW})
    EXPECT_EQ(after_open_failed(code), reading_state::unfit) << code;
  for (const auto code : {ENOENT, EMFILE, ELOOP})
    EXPECT_EQ(after_open_failed(code), reading_state::not_now) << code;
}

TEST_F(drop_folder_test, what_the_engine_refuses_keeps_its_earlier_namesake) {
  engine_.refusal = caf::make_error(ec::invalid_argument, "no such thing");
  open_door();
  write(user_ / "a.xml", "first");
  scans(2);
  write(user_ / "a.xml", "second");
  scans(2);
  EXPECT_EQ(text_of(user_ / ".refused/a.xml"), "first");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml.2"), "second");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml.2.reason"), "no such thing\n");
}

TEST_F(drop_folder_test, a_crash_before_the_move_makes_no_duplicate) {
  engine_.silent = true;
  open_door();
  write(user_ / "a.xml");
  engine_.now_us = wall_us(); // received after it was written
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  ASSERT_TRUE(fs::exists(user_ / "a.xml"));
  caf::anon_send_exit(*door_, caf::exit_reason::kill);
  settle();
  engine_.silent = false;
  open_door();
  scans(5);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_FALSE(fs::exists(user_ / "a.xml"));
  EXPECT_TRUE(fs::exists(user_ / ".done/41-a.xml"));
}

TEST_F(drop_folder_test, an_answer_that_is_lost_makes_no_duplicate) {
  engine_.silent = true;
  open_door();
  write(user_ / "a.xml");
  engine_.now_us = wall_us();
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  advance(options_.request_timeout);
  advance(options_.retry_pause);
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_TRUE(fs::exists(user_ / ".done/41-a.xml"));
}

TEST_F(drop_folder_test, the_same_file_dropped_again_is_submitted_again) {
  open_door();
  write(user_ / "a.xml");
  engine_.now_us = changed_us(user_ / "a.xml");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  // The file system's clock ticks every few milliseconds.
  do
    write(user_ / "a.xml");
  while (changed_us(user_ / "a.xml") == engine_.now_us);
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u);
  EXPECT_TRUE(fs::exists(user_ / ".done/42-a.xml"));
}

TEST_F(drop_folder_test, other_doors_submissions_are_no_repeats) {
  write(user_ / "a.xml");
  submission_row row;
  row.id = 7;
  row.user = "alice";
  row.submission.file_name = "a.xml";
  row.submission.source = "http";
  row.submission.blob = *blobs_->put("<x/>");
  row.received_us = wall_us() + 1'000'000;
  engine_.rows.push_back(row);
  open_door();
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, a_file_replaced_meanwhile_is_another_file) {
  open_door();
  write(user_ / "a.xml", "old");
  engine_.on_take = [this] {
    engine_.on_take = nullptr;
    write(user_ / ".new", "new");
    fs::rename(user_ / ".new", user_ / "a.xml");
  };
  scans(5);
  ASSERT_EQ(engine_.taken.size(), 2u);
  EXPECT_EQ(*blobs_->get(engine_.taken[0].submission.blob), "old");
  EXPECT_EQ(*blobs_->get(engine_.taken[1].submission.blob), "new");
  EXPECT_EQ(text_of(user_ / ".done/42-a.xml"), "new");
}

TEST_F(drop_folder_test, a_folder_without_account_is_told_of_once) {
  fs::create_directory(root_.path() / "carol");
  const testing::captured_log log;
  open_door();
  scans(3);
  EXPECT_EQ(log.count("drop_folder_without_account"), 1u);
}

TEST_F(drop_folder_test, a_folder_without_account_is_left_alone) {
  fs::create_directory(root_.path() / "carol");
  fs::create_directory(root_.path() / "not a user");
  write(root_.path() / "carol/a.xml");
  write(root_.path() / "not a user/a.xml");
  permit({"alice", "not a user"});
  open_door();
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::exists(root_.path() / "carol/a.xml"));
  permit({"alice", "carol"});
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(engine_.taken[0].user, "carol");
}

TEST_F(drop_folder_test, at_the_pending_limit_files_wait) {
  engine_.refusal = caf::make_error(ec::pending_limit_reached, "too many");
  open_door();
  write(user_ / "a.xml");
  scans(3);
  EXPECT_TRUE(fs::exists(user_ / "a.xml"));
  engine_.refusal = caf::error{};
  scans(2);
  EXPECT_TRUE(engine_.taken.empty()) << "the pause is not over";
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_FALSE(fs::exists(user_ / ".refused"));
}

TEST_F(drop_folder_test, files_wait_while_nobody_knows_what_came_before) {
  engine_.blindness = caf::make_error(ec::store_failed, "the tables");
  open_door();
  write(user_ / "a.xml");
  scans(3);
  EXPECT_TRUE(engine_.taken.empty()) << "it may have come before";
  engine_.blindness = caf::error{};
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, files_wait_while_there_is_no_room_for_them) {
  options_.blobs = std::make_shared<full_blobs>();
  open_door();
  write(user_ / "a.xml");
  scans(3);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::exists(user_ / "a.xml"));
}

TEST_F(drop_folder_test, files_wait_while_their_folder_cannot_be_listed) {
  open_door();
  write(user_ / "a.xml");
  scans(1);
  {
    // The folder of all, and the user's; none to look into that.
    const few_descriptors two{2};
    scans(2);
  }
  scans(2);
  EXPECT_TRUE(engine_.taken.empty()) << "the pause is not over";
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, names_are_kept_as_they_are) {
  const std::vector<std::string> names = {"two words.xml",
                                          "Zürich \xe6\x97\xa5.xml",
                                          "two\nlines.xml",
                                          "not\xff"
                                          "utf-8",
                                          "-rf; $(x) '\"\\",
                                          std::string(255, 'x')};
  open_door();
  for (const auto& name : names)
    write(user_ / name);
  scans(2);
  std::set<std::string> got;
  for (const auto& x : engine_.taken)
    got.insert(x.submission.file_name);
  EXPECT_EQ(got, (std::set<std::string>{names.begin(), names.end()}));
  for (const auto& row : engine_.rows) {
    const auto kept = std::to_string(row.id) + "-" + row.submission.file_name;
    EXPECT_TRUE(fs::exists(user_ / ".done" / kept.substr(0, 239))) << kept;
  }
}

TEST_F(drop_folder_test, nothing_is_taken_that_could_not_be_moved) {
  temporary_folder elsewhere;
  fs::create_directory_symlink(elsewhere.path(), user_ / ".done");
  open_door();
  write(user_ / "a.xml");
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::is_empty(elsewhere.path()));
  fs::remove(user_ / ".done");
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, a_scan_takes_no_more_than_its_bound) {
  options_.files_per_scan_max = 2;
  fs::create_directory(root_.path() / "bob");
  permit({"alice", "bob"});
  open_door();
  for (const auto* name : {"1", "2", "3", "4"})
    write(user_ / name);
  write(root_.path() / "bob/5");
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u);
  EXPECT_EQ(engine_.taken.back().user, "bob") << "one user's files fill it";
  scans(3);
  EXPECT_EQ(engine_.taken.size(), 5u);
}

TEST_F(drop_folder_test, what_is_on_its_way_counts_in_the_bound_of_a_scan) {
  options_.files_per_scan_max = 4;
  permit({"alice", "bob"});
  engine_.silent = true;
  open_door();
  for (const auto* name : {"1", "2", "3"})
    write(user_ / name);
  scans(2);
  engine_.silent = false;
  fs::create_directory(root_.path() / "bob");
  for (const auto* name : {"4", "5", "6"})
    write(root_.path() / "bob" / name);
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u) << "three of alice's wait for an answer";
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 3u);
}

TEST_F(drop_folder_test, a_scan_looks_into_no_more_folders_than_it_may) {
  options_.folders_per_scan_max = 1;
  fs::create_directory(root_.path() / "bob");
  permit({"alice", "bob"});
  open_door();
  write(user_ / "1");
  write(root_.path() / "bob/2");
  scans(3);
  EXPECT_EQ(engine_.taken.size(), 1u) << "the first has been seen twice";
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 2u);
}

TEST_F(drop_folder_test, a_folder_that_comes_late_is_found) {
  fs::remove(user_);
  options_.path = root_.path() / "later";
  open_door();
  scans(2);
  fs::create_directories(options_.path / "alice");
  write(options_.path / "alice/a.xml");
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

} // namespace
} // namespace depositd::drop
