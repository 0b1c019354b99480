// Every byte of a small journal is cut off or flipped in turn.

#include "adapters/stores/segments/inspection.hpp"
#include "tests/adapters/stores/segments/segments_fixture.hpp"

namespace depositd {

namespace {

/// Where a group is in its file.
struct group_range {
  std::uint64_t segment = 0;
  std::size_t begin = 0; ///< of its header
  std::size_t end = 0;   ///< of its payload
};

class journal_damage : public segments_fixture {
protected:
  void SetUp() override {
    {
      const auto store = must_open();
      append(*store, 8);
      const auto failed = store->read(1, [&](const stored_group& x) {
        const auto payload = static_cast<std::size_t>(x.group & 0xffffffff);
        groups.push_back(
          {x.group >> 32, payload / 4096 * 4096, payload + x.bytes.size()});
        return true;
      });
      ASSERT_FALSE(failed);
    }
    ASSERT_EQ(groups.size(), 8u);
    ASSERT_EQ(groups.back().segment, 3u);
    whole = files();
    whole.erase("LOCK");
    manifest = whole.at(segments::manifest_name);
  }

  /// What opening is to make of damage at a byte of a segment.
  enum class expectation { refused, last_missing, unharmed };

  expectation expect_at(std::uint64_t number, std::size_t at) const {
    if (at < 4096)
      return expectation::refused;
    for (const auto& x : groups)
      if (x.segment == number && at >= x.begin && at < x.end)
        return &x == &groups.back() ? expectation::last_missing
                                    : expectation::refused;
    return expectation::unharmed;
  }

  void expect_opening(expectation expected, const std::string& name,
                      std::size_t at) {
    SCOPED_TRACE(name + " byte " + std::to_string(at));
    if (expected == expectation::refused) {
      expect_refused(ec::store_damaged, {name});
      return;
    }
    const auto store = must_open();
    ASSERT_NE(store, nullptr);
    const auto count = expected == expectation::unharmed ? 8u : 7u;
    ASSERT_EQ(store->last(), count);
    ASSERT_EQ(check(*store), count);
  }

  std::vector<group_range> groups;
  std::map<std::string, std::string> whole;
  std::string manifest;
};

} // namespace

TEST_F(journal_damage, of_any_flipped_byte_loses_at_most_the_last_group) {
  for (const auto& [name, bytes] : whole) {
    const auto number = segments::number_in(name, "journal-");
    for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at) {
      const auto flipped = static_cast<char>(bytes[at] ^ (1 << at % 8));
      overwrite(file(name), at, {flipped});
      expect_opening(number ? expect_at(*number, at) : expectation::refused,
                     name, at);
      overwrite(file(name), at, {bytes[at]});
      write(file(segments::manifest_name), manifest);
    }
  }
}

TEST_F(journal_damage, of_any_cut_is_refused) {
  for (const auto& [name, bytes] : whole) {
    for (auto size = bytes.size(); size-- > 0 && !HasFailure();) {
      std::filesystem::resize_file(file(name), size);
      expect_opening(expectation::refused, name, size);
    }
    write(file(name), bytes);
  }
}

TEST_F(journal_damage, of_the_last_group_leaves_no_trace_after_the_next) {
  for (auto at = groups.back().begin; at < groups.back().end; ++at) {
    const auto name = segments::segment_name(3);
    overwrite(file(name), at, {static_cast<char>(whole[name][at] ^ 0x10)});
    {
      const auto store = must_open();
      append(*store, 2);
    }
    const auto store = must_open();
    ASSERT_EQ(check(*store), 9u) << at;
    for (const auto& [other, bytes] : whole)
      write(file(other), bytes);
  }
}

TEST_F(journal_damage, of_zeros_from_some_byte_of_the_last_group_drops_it) {
  const auto name = segments::segment_name(3);
  for (auto at = groups.back().begin; at < groups.back().end; ++at) {
    overwrite(file(name), at, std::string(small_segment_bytes - at, '\0'));
    expect_opening(expectation::last_missing, name, at);
  }
}

TEST_F(journal_damage, of_a_missing_file_is_refused_by_name) {
  for (const auto& [name, bytes] : whole) {
    std::filesystem::remove(file(name));
    expect_refused(ec::store_damaged, {name, "missing"});
    write(file(name), bytes);
  }
}

TEST_F(journal_damage, of_exchanged_files_is_refused) {
  const auto first = segments::segment_name(1);
  const auto second = segments::segment_name(2);
  write(file(first), whole[second]);
  write(file(second), whole[first]);
  expect_refused(ec::store_damaged, {first, "it is segment 2"});
}

TEST_F(journal_damage, of_a_file_that_does_not_belong_is_refused) {
  write(segment(9), whole[segments::segment_name(1)]);
  expect_refused(ec::store_damaged, {segments::segment_name(9)});
}

TEST_F(journal_damage, is_found_while_reading_too) {
  const auto store = must_open();
  overwrite(segment(2), groups[4].end - 1, "!");
  std::size_t shown = 0;
  const auto failed = store->read(1, [&](const stored_group&) {
    ++shown;
    return true;
  });
  EXPECT_EQ(failed, ec::store_damaged);
  EXPECT_EQ(shown, 4u);
  EXPECT_NE(render(failed).find(segments::segment_name(2)), std::string::npos);
}

TEST_F(journal_damage, beside_a_dropped_segment_is_refused) {
  {
    const auto store = must_open();
    EXPECT_FALSE(store->drop(2));
  }
  const auto last = groups[2]; // of segment 1, which the gap follows
  overwrite(segment(1), last.begin, "?");
  expect_refused(ec::store_damaged, {segments::segment_name(1)});
  overwrite(segment(1), last.begin,
            whole[segments::segment_name(1)].substr(last.begin, 1));
  must_open();
}

TEST_F(journal_damage, is_seen_by_who_only_looks) {
  const auto look = [&] {
    return look_at_segments(options.folder, 0,
                            [](const stored_group&) { return caf::error{}; });
  };
  {
    const auto seen = look();
    ASSERT_TRUE(seen) << render(seen.error());
    EXPECT_EQ(seen->last, 8u);
  }
  const auto expect_named = [&](ec code, const std::string& name) {
    const auto before = files();
    const auto seen = look();
    ASSERT_FALSE(seen) << name;
    EXPECT_EQ(seen.error(), code);
    EXPECT_NE(render(seen.error()).find(name), std::string::npos)
      << render(seen.error());
    EXPECT_EQ(files(), before);
  };
  for (const std::string& name :
       {std::string{segments::manifest_name}, segments::segment_name(1),
        segments::segment_name(2), segments::segment_name(3)}) {
    overwrite(file(name), name == segments::manifest_name ? 9 : 4096, "?");
    expect_named(ec::store_damaged, name);
    write(file(name), whole[name]);
  }
  std::filesystem::remove(segment(2));
  expect_named(ec::store_damaged, segments::segment_name(2));
  for (const auto& [name, bytes] : whole)
    std::filesystem::remove(file(name));
  expect_named(ec::not_found, segments::manifest_name);
}

TEST_F(journal_damage, of_the_only_group_behind_a_dropped_segment_is_refused) {
  {
    const auto store = must_open();
    append(*store, 2); // the second one begins segment 4
    EXPECT_FALSE(store->drop(3));
  }
  overwrite(segment(4), 4096, "?");
  expect_refused(ec::store_damaged, {segments::segment_name(4)});
  {
    // The same with nothing before the dropped one.
    write(segment(4), std::string(small_segment_bytes, '\0'));
    expect_refused(ec::store_damaged, {segments::segment_name(4)});
  }
}

TEST_F(journal_damage, of_another_shard_is_refused) {
  options.shard = 1;
  expect_refused(ec::store_failed, {"shard 0", "shard 1"});
}

TEST_F(journal_damage, of_a_later_format_is_refused_by_its_number) {
  segments::segment_header header{.format = 2, .number = 1};
  overwrite(segment(1), 0, segments::encode(header));
  expect_refused(ec::store_failed, {segments::segment_name(1), "format 2"});
}

} // namespace depositd
