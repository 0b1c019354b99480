#pragma once

// Objects that are asked back.

#include "adapters/bagit/checking.hpp"
#include "adapters/processing/aptrust/premis.hpp"
#include "tests/adapters/processing/aptrust/orders/order_world.hpp"

namespace depositd::aptrust::testing {

namespace fs = std::filesystem;

class restoring : public order_world {
protected:
  /// What is in a bag: its files with their bytes.
  struct bag_reader final : bagit::bag_visitor {
    caf::error begin(const bagit::bag_file& x) override {
      path = x.path;
      files[path];
      return {};
    }

    caf::error bytes(std::string_view x) override {
      files[path] += x;
      return {};
    }

    std::string path;
    contents files;
  };

  contents unpacked(const fs::path& bag) {
    bag_reader reader;
    const auto done = bagit::read_bag({.path = bag}, {}, reader);
    EXPECT_TRUE(done) << render(done.error());
    return reader.files;
  }

  /// The one thing that was given back and is called so.
  fs::path given_back(const std::string& begin, const std::string& end) {
    std::vector<fs::path> all;
    for (const auto& x : fs::directory_iterator{home.path() / "back/INST"})
      if (x.path().filename().string().starts_with(begin)
          && x.path().filename().string().ends_with(end))
        all.push_back(x.path());
    EXPECT_EQ(all.size(), 1u) << begin;
    return all.empty() ? fs::path{} : all.front();
  }

  /// A bag is restored; what is then known of it.
  bagit::bag_report restored(const std::string& name) {
    const auto out = run(an_order(order_kind::restore_object, "INST/" + name));
    EXPECT_EQ(out.says, verdict::done) << out.reason;
    const auto tar = home.path() / "back/INST" / (name + ".tar");
    auto report = bagit::check_bag({.path = tar}, {});
    EXPECT_TRUE(report) << render(report.error());
    return report ? std::move(*report) : bagit::bag_report{};
  }

  /// That the last version came in a bag with this encoding.
  void note_encoding(const std::string& object, const std::string& encoding) {
    const premis_scene scene{object, "INST", "jid-of-" + object, "test", 1'000};
    const premis_facts facts{.type = premis_types::format_identification,
                             .detail = tag_file_encoding,
                             .outcome_detail = encoding};
    ASSERT_FALSE(
      tools->inventory->record_events({make_event(scene, facts)}));
  }

  const contents a_bag = {
    {"data/a.txt", "first"},
    {"data/deep/b c.bin", std::string("\0\1\2", 3)},
    {"bag-info.txt", "Source-Organization: INST\nExternal-Description: a\n"},
    {"aptrust-info.txt", "Title: A Bag\nAccess: Institution\n"}};
};

} // namespace depositd::aptrust::testing
