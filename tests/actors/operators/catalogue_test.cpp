#include "actors/operators/catalogue.hpp"

#include "tests/support/actor_fixture.hpp"
#include "tests/support/memory_inventory.hpp"

namespace depositd::testing {
namespace {

class catalogue_test : public actor_fixture {
protected:
  catalogue_test() {
    record("a", "Ghent", "producer/x.tif");
    record("b", "Bruges", "producer/ghent.tif");
    record("ghent", "Liège", "producer/y.tif");
    asked_ = spawn(operators::catalogue, things_);
  }

  void record(const std::string& identifier, const std::string& title,
              const std::string& path) {
    inventory_entry x;
    x.identifier = identifier;
    x.collection = "maps";
    x.owner = "ann";
    x.version.number = 1;
    x.version.job = "jid-" + identifier;
    x.version.user = "ann";
    x.version.title = title;
    x.version.bytes = 5;
    x.version.recorded_us = 100;
    x.files = {{path, 5, std::string(128, 'a')}};
    EXPECT_FALSE(things_->record(x));
  }

  std::string found(std::vector<inventory_search> any, std::uint32_t max) {
    const auto x =
      ask<objects_found>(asked_, search_objects{std::move(any), max});
    EXPECT_TRUE(x);
    std::string out;
    for (const auto& one : x->objects)
      out += (out.empty() ? "" : " ") + one.identifier;
    return out;
  }

  std::shared_ptr<memory_inventory> things_ =
    std::make_shared<memory_inventory>();
  catalogue_actor asked_;
};

TEST_F(catalogue_test, finds_by_any_of_the_searches_each_once) {
  const std::vector<inventory_search> any{{.identifier = "ghent"},
                                          {.local_id = "ghent"},
                                          {.title = "ghent"},
                                          {.file_name = "ghent"},
                                          {.collection = "maps"}};
  EXPECT_EQ(found(any, 10), "ghent a b");
  EXPECT_EQ(found(any, 2), "ghent a");
  EXPECT_EQ(found({{.collection = "maps"}}, 2), "a b");
}

TEST_F(catalogue_test, tells_files_and_what_is_not_there) {
  const auto files = ask<object_files_found>(asked_, find_object_files{"a", 0});
  ASSERT_TRUE(files);
  ASSERT_EQ(files->files.size(), 1u);
  EXPECT_EQ(files->files[0].path, "producer/x.tif");
  EXPECT_EQ(ask<object_files_found>(asked_, find_object_files{"z", 0}).error(),
            ec::not_found);
}

TEST_F(catalogue_test, measures_what_is_stored_and_what_came) {
  const auto use = ask<collections_measured>(asked_, measure_collections{100});
  ASSERT_TRUE(use);
  EXPECT_EQ(use->uses.at(0).bytes, 15u);
  const auto came =
    ask<recorded_measured>(asked_, measure_recorded{{100, 101, "", "", 10}});
  ASSERT_TRUE(came);
  EXPECT_EQ(came->uses.at(0).versions, 3u);
  EXPECT_TRUE(
    ask<recorded_measured>(asked_, measure_recorded{{101, 200, "", "", 10}})
      ->uses.empty());
}

} // namespace
} // namespace depositd::testing
