#pragma once

// The drop folder with a shard and a projector that do what a test says.

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

inline caf::result<enqueued> take(caf::event_based_actor* self,
                                  fake_engine& engine, const submit& x) {
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

inline caf::result<submissions_found> find(const fake_engine& engine,
                                           const submission_query& x) {
  if (engine.blindness)
    return engine.blindness;
  submissions_found out;
  for (const auto& row : engine.rows)
    if (row.user == x.user && row.submission.file_name == x.file_name)
      out.rows.push_back(row);
  return out;
}

inline caf::behavior engine_behavior(caf::event_based_actor* self,
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

} // namespace depositd::drop
