#include "tests/adapters/stores/segments/segments_fixture.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>

namespace depositd {

namespace {

using namespace std::chrono_literals;

class disk_failure : public segments_fixture {
protected:
  disk_failure() {
    options.io = &faulty;
  }

  /// Fails every call of this kind.
  void fail(disk_call which, int code) {
    faulty.set_fault([=](disk_call call) { return call == which ? code : 0; });
  }

  /// Fails the next call of this kind of whoever appends: zeros are written by
  /// another thread.
  void fail_once(disk_call which) {
    faulty.set_fault([=, appender = std::this_thread::get_id(),
                      failures = 1](disk_call call) mutable {
      return call == which && std::this_thread::get_id() == appender
                 && failures-- > 0
               ? EIO
               : 0;
    });
  }

  void mend() {
    faulty.set_fault({});
  }

  /// Whether that is so soon: the pool works on a thread of its own.
  template <class F>
  static bool comes(F f) {
    for (auto i = 0; i < 2'000 && !f(); ++i)
      std::this_thread::sleep_for(5ms); // sleeps: there is no signal
    return f();
  }

  faulty_disk faulty;
};

} // namespace

TEST_F(disk_failure, without_space_refuses_and_goes_on_once_there_is_some) {
  const auto store = must_open();
  append(*store, 1);
  fail(disk_call::allocate, ENOSPC);
  caf::error refusal;
  for (auto i = 0; i < 20 && !refusal; ++i) {
    auto group = store->append(body(store->last() + 1), 1, {});
    if (!group)
      refusal = std::move(group.error());
  }
  EXPECT_EQ(refusal, ec::store_failed);
  EXPECT_NE(render(refusal).find("No space left"), std::string::npos);
  const auto last = store->last();
  EXPECT_EQ(check(*store), last);
  EXPECT_FALSE(store->append(body(last + 1), 1, {}));
  mend();
  append(*store, 5);
  EXPECT_EQ(check(*store), last + 5);
}

TEST_F(disk_failure, without_space_says_so_while_there_is_some_left) {
  const auto store = must_open();
  append(*store, 4);
  EXPECT_TRUE(
    comes([&] { return store->disk_bytes() == 3 * small_segment_bytes; }));
  fail(disk_call::allocate, ENOSPC);
  EXPECT_FALSE(store->nearly_full());
  append(*store, 3); // the last segment that there is
  EXPECT_TRUE(comes([&] { return store->nearly_full(); }));
  append(*store, 2); // what is held back
  EXPECT_FALSE(store->append(body(store->last() + 1), 1, {}));
  mend();
  EXPECT_TRUE(comes([&] { return !store->nearly_full(); })) << "by itself";
  append(*store, 5);
}

TEST_F(disk_failure, without_space_uses_what_is_dropped) {
  options.spares_max = 4;
  const auto store = must_open();
  append(*store, 7);
  fail(disk_call::allocate, ENOSPC);
  while (store->append(body(store->last() + 1), 1, {}))
    ;
  EXPECT_FALSE(store->drop(1));
  append(*store, 3);
}

TEST_F(disk_failure, of_names_spoils_no_file_that_was_to_be_used_again) {
  options.spares_max = 4;
  const auto store = must_open();
  append(*store, 7);
  ASSERT_FALSE(store->drop(1));
  fail(disk_call::sync_names, EIO);
  while (store->append(body(store->last() + 1), 1, {}))
    ;
  // It has to be the file that was dropped: there is no space for another.
  fail(disk_call::allocate, ENOSPC);
  append(*store, 1);
}

TEST_F(disk_failure, of_one_write_leaves_the_log_as_it_was) {
  auto store = must_open();
  append(*store, 4);
  fail_once(disk_call::write);
  const auto refused = store->append(std::string(5000, 'x'), 1, {});
  EXPECT_EQ(refused.error(), ec::store_failed);
  EXPECT_EQ(store->last(), 4u);
  mend();
  append(*store, 4);
  EXPECT_EQ(check(*store), 8u);
  store.reset();
  EXPECT_EQ(check(*must_open()), 8u);
}

TEST_F(disk_failure, of_all_writes_refuses_until_the_disk_is_well) {
  auto store = must_open();
  append(*store, 4);
  fail(disk_call::write, EIO);
  for (auto i = 0; i < 3; ++i) {
    const auto refused = store->append(body(5), 1, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), ec::store_failed);
  }
  mend();
  EXPECT_EQ(check(*store), 4u);
  append(*store, 4);
  EXPECT_EQ(check(*store), 8u);
  store.reset();
  EXPECT_EQ(check(*must_open()), 8u);
}

TEST_F(disk_failure, of_all_syncs_refuses_until_the_disk_is_well) {
  auto store = must_open();
  append(*store, 4);
  fail(disk_call::sync, EIO);
  for (auto i = 0; i < 3; ++i) {
    const auto refused = store->append(body(5), 1, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), ec::store_failed);
  }
  EXPECT_EQ(store->last(), 4u);
  EXPECT_EQ(check(*store), 4u);
  mend();
  append(*store, 4);
  EXPECT_EQ(check(*store), 8u);
  store.reset();
  EXPECT_EQ(check(*must_open()), 8u);
}

TEST_F(disk_failure, of_a_sync_that_cannot_be_taken_back_may_keep_the_group) {
  auto store = must_open();
  append(*store, 4);
  fail(disk_call::sync, EIO);
  EXPECT_FALSE(store->append(body(5), 1, {}));
  mend();
  store.reset();
  store = must_open();
  const auto count = check(*store);
  EXPECT_TRUE(count == 4 || count == 5) << count;
  append(*store, 4);
  EXPECT_EQ(check(*store), count + 4);
}

TEST_F(disk_failure, at_the_begin_of_a_segment_leaves_no_empty_one_behind) {
  auto store = must_open();
  append(*store, 3); // fills the first segment
  // Only the write of the group, not those that make the segment.
  fail_once(disk_call::write);
  while (store->append(body(store->last() + 1), 1, {}))
    ;
  mend();
  const auto last = store->last();
  const std::string large(2 * small_segment_bytes, 'l');
  ASSERT_TRUE(store->append(large, 1, {}));
  store.reset();
  store = must_open();
  EXPECT_EQ(store->last(), last + 1);
}

/// Takes nothing from a flush of its appender on, until it is back.
struct leaving_disk : disk {
  int write(int fd, std::span<iovec> parts, std::uint64_t offset) override {
    return away ? EIO : disk::write(fd, parts, offset);
  }

  int sync(int fd) override {
    away = away || (leaves && std::this_thread::get_id() == appender);
    return away ? EIO : disk::sync(fd);
  }

  const std::thread::id appender = std::this_thread::get_id();
  std::atomic<bool> leaves = false;
  std::atomic<bool> away = false;
};

TEST_F(disk_failure, leaves_no_refused_group_behind_in_a_full_segment) {
  leaving_disk leaving;
  options.io = &leaving;
  auto store = must_open();
  append(*store, 1);
  leaving.leaves = true;
  EXPECT_FALSE(store->append(body(2), 1, {}));
  leaving.leaves = false;
  leaving.away = false;
  // Where the refused one is there is no room for the next.
  const std::string large(2 * small_segment_bytes, 'l');
  ASSERT_TRUE(store->append(large, 1, {}));
  store.reset();
  store = must_open();
  EXPECT_EQ(store->last(), 2u);
  store.reset();
}

TEST_F(disk_failure, while_it_is_opened_is_refused) {
  append(*must_open(), 4);
  for (const auto call :
       {disk_call::write, disk_call::sync, disk_call::sync_names}) {
    fail(call, EIO);
    expect_refused(ec::store_failed, {"Input/output error"});
  }
  mend();
  EXPECT_EQ(check(*must_open()), 4u);
}

TEST_F(disk_failure, while_dropping_drops_nothing) {
  auto store = must_open();
  append(*store, 9);
  fail(disk_call::write, ENOSPC);
  EXPECT_EQ(store->drop(1), ec::store_failed);
  mend();
  EXPECT_EQ(check(*store), 9u);
  store.reset();
  EXPECT_EQ(check(*must_open()), 9u);
}

/// Says of a write that it failed, though all of it is on the disk.
class lying_disk : public dying_disk {
public:
  lying_disk() : dying_disk(1'000'000) {
    // nop
  }

  int write(int fd, std::span<iovec> parts, std::uint64_t offset) override {
    if (std::this_thread::get_id() != appender || !std::exchange(lies, false))
      return dying_disk::write(fd, parts, offset);
    (void)disk::write(fd, parts, offset);
    return EIO;
  }

  bool lies = false; ///< once, to whoever appends

private:
  const std::thread::id appender = std::this_thread::get_id();
};

TEST_F(disk_failure, of_one_write_stays_refused_when_power_fails) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::filesystem::remove_all(options.folder);
    lying_disk lying;
    options.io = &lying;
    {
      auto store = must_open();
      append(*store, 4);
      lying.lies = true;
      ASSERT_FALSE(store->append(body(5), 1, {}));
    }
    lying.lose_power(seed);
    options.io = &careless;
    EXPECT_EQ(check(*must_open()), 4u) << "seed " << seed;
  }
}

/// Fails flushes of whoever appends, and the bytes are on the disk or not.
class unflushing_disk : public dying_disk {
public:
  unflushing_disk() : dying_disk(1'000'000) {
    // nop
  }

  int sync(int fd) override {
    if (std::this_thread::get_id() == appender && failures > 0) {
      --failures;
      return EIO;
    }
    return dying_disk::sync(fd);
  }

  int failures = 0;

private:
  const std::thread::id appender = std::this_thread::get_id();
};

TEST_F(disk_failure, of_syncs_takes_nothing_acknowledged_when_power_fails) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::filesystem::remove_all(options.folder);
    unflushing_disk failing;
    options.io = &failing;
    {
      auto store = must_open();
      append(*store, 4);
      failing.failures = 1 + static_cast<int>(seed % 3);
      ASSERT_FALSE(store->append(std::string(5'000, 'x'), 1, {}));
      while (failing.failures > 0)
        ASSERT_FALSE(store->append(std::string(5'000, 'x'), 1, {}));
      append(*store, seed % 4);
    }
    failing.lose_power(seed);
    options.io = &careless;
    EXPECT_EQ(check(*must_open()), 4u + seed % 4) << "seed " << seed;
  }
}

TEST_F(disk_failure, of_power_takes_nothing_that_was_recovered_before) {
  auto died = true;
  for (std::uint64_t calls = 1; died && !HasFailure(); ++calls) {
    std::filesystem::remove_all(options.folder);
    dying_disk dying{calls};
    options.io = &dying;
    if (auto store = open())
      while ((*store)->last() < 8
             && (*store)->append(body((*store)->last() + 1), 1, {}))
        ;
    died = dying.dead();
    dying.restart();
    const auto last = must_open()->last();
    dying.lose_power(calls);
    options.io = &careless;
    const auto store = must_open();
    ASSERT_NE(store, nullptr) << "call " << calls;
    ASSERT_EQ(store->last(), last) << "call " << calls;
    ASSERT_EQ(check(*store), last) << "call " << calls;
  }
}

TEST_F(disk_failure, of_power_keeps_every_acknowledged_group) {
  // Large groups are torn in many ways; small segments make many calls that
  // are not appends.
  const auto bytes = [](sequence number) {
    return body(number) + std::string(number * 997 % 9000, 'b');
  };
  auto died = true;
  for (std::uint64_t calls = 1; died && !HasFailure(); ++calls) {
    std::filesystem::remove_all(options.folder);
    dying_disk dying{calls};
    options.io = &dying;
    sequence acknowledged = 0;
    if (auto store = open()) {
      while (acknowledged < 24
             && (*store)->append(bytes(acknowledged + 1), 1, {})) {
        ++acknowledged;
        if ((*store)->segments().size() > 3)
          (void)(*store)->drop((*store)->segments().front().number);
      }
    }
    died = dying.dead();
    dying.lose_power(calls);
    options.io = &careless;
    const auto store = must_open();
    ASSERT_NE(store, nullptr) << "call " << calls;
    ASSERT_GE(store->last(), acknowledged) << "call " << calls;
    ASSERT_LE(store->last(), acknowledged + 1) << "call " << calls;
    if (store->segments().empty())
      continue;
    const auto failed =
      store->read(store->segments().front().first, [&](const stored_group& x) {
        EXPECT_EQ(x.bytes, bytes(x.first)) << "call " << calls;
        return true;
      });
    ASSERT_FALSE(failed) << render(failed);
    ASSERT_TRUE(store->append("after", 1, {}));
  }
}

} // namespace depositd
