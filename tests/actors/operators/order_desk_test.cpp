// Orders, from whichever door they come.

#include "actors/operators/order_desk.hpp"
#include "messages/catalogue.hpp"
#include "messages/shard.hpp"
#include "messages/work.hpp"
#include "tests/support/actor_fixture.hpp"

#include <algorithm>

namespace depositd::testing {
namespace {

class order_desk_test : public actor_fixture {
protected:
  order_desk_test() {
    add("inst/photos", "INST", {"local"});
    add("inst/cold", "INST", {"far"});
    add("other/x", "OTHER", {"local"});
    desk =
      spawn(operators::order_desk,
            operators::order_desk_options{
              .shard = caf::actor_cast<shards_actor>(spawn_shard()),
              .catalogue = caf::actor_cast<catalogue_actor>(spawn_catalogue()),
              .cold_storage = {"far"}});
  }

  void add(const std::string& name, const std::string& owner,
           std::vector<std::string> storage) {
    inventory_object out;
    out.identifier = name;
    out.owner = owner;
    out.collection = "c-" + owner;
    out.storage = std::move(storage);
    objects.push_back(out);
  }

  caf::actor spawn_shard() {
    auto out = sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](const submit_batch& x) -> caf::result<batch_accepted> {
          if (refusal)
            return refusal;
          submitted.push_back(x);
          return batch_accepted{41 + submitted.size()};
        },
        [this](const propose& x) -> caf::result<done> {
          proposed.insert(proposed.end(), x.changes.begin(), x.changes.end());
          return done{};
        },
      };
    });
    adopt(out);
    return out;
  }

  caf::actor spawn_catalogue() {
    auto out = sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](const search_objects& x) {
          objects_found found;
          for (const auto& one : objects)
            if (std::any_of(x.any.begin(), x.any.end(), [&](const auto& any) {
                  return one.identifier == any.identifier;
                }))
              found.objects.push_back(one);
          return found;
        },
        [](const find_object_files&) {
          return object_files_found{{{"data/a", 1, std::string(128, 'a')}}};
        },
      };
    });
    adopt(out);
    return out;
  }

  caf::expected<order_placed> place(order_kind kind, const std::string& object,
                                    const std::string& file = "",
                                    order_limits limits = {}) {
    place_order x;
    x.what.kind = kind;
    x.what.object = object;
    x.what.file = file;
    x.what.asked_by = "operator=ann";
    x.source = "shell";
    x.limits = std::move(limits);
    return ask<order_placed>(desk, x);
  }

  caf::expected<deletion_asked> ask_deletion_of(std::vector<std::string> names,
                                                order_limits limits = {}) {
    return ask<deletion_asked>(
      desk,
      ask_deletion{std::move(names), "operator=ann", "old", std::move(limits)});
  }

  std::vector<inventory_object> objects;
  std::vector<submit_batch> submitted;
  std::vector<event> proposed;
  caf::error refusal;
  order_desk_actor desk;
};

TEST_F(order_desk_test, queues_an_order_under_the_owner_of_the_object) {
  const auto placed = place(order_kind::restore_object, "inst/photos");
  ASSERT_TRUE(placed) << render(placed.error());
  EXPECT_EQ(placed->batch, 42u);
  ASSERT_EQ(submitted.size(), 1u);
  const auto& x = submitted[0];
  EXPECT_EQ(x.user, "INST");
  EXPECT_EQ(x.info.collection, "c-INST");
  EXPECT_EQ(x.info.pipeline, "aptrust_restore_object");
  const auto document = decode_batch_document(x.document);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->user, "INST");
  const auto order = order_in(document->more);
  ASSERT_TRUE(order && *order);
  EXPECT_EQ((**order).asked_by, "operator=ann");
}

TEST_F(order_desk_test, finds_an_object_however_its_ark_is_written) {
  add("ark:/1/a", "INST", {"local"});
  const auto placed = place(order_kind::restore_object, "ark:1/a");
  ASSERT_TRUE(placed) << render(placed.error());
  EXPECT_EQ(placed->info.title, "ark:/1/a");
  const auto document = decode_batch_document(submitted.at(0).document);
  ASSERT_TRUE(document);
  EXPECT_EQ((**order_in(document->more)).object, "ark:/1/a");
  ASSERT_TRUE(ask_deletion_of({"ark:1/a", "ark:/1/a"}));
  const auto* request = std::get_if<deletion_changed>(&proposed.at(0));
  ASSERT_NE(request, nullptr);
  ASSERT_EQ(request->targets.size(), 1u) << "it is one object";
  EXPECT_EQ(request->targets[0].object, "ark:/1/a");
}

TEST_F(order_desk_test, brings_back_first_what_cannot_be_read) {
  for (const auto* file : {"", "data/a"}) {
    const auto placed = place(*file == '\0' ? order_kind::restore_object
                                            : order_kind::restore_file,
                              "inst/cold", file);
    ASSERT_TRUE(placed) << render(placed.error());
    EXPECT_EQ(placed->info.type, "restore_glacier");
    EXPECT_EQ(placed->info.file_name, file);
  }
  EXPECT_EQ(place(order_kind::restore_glacier, "inst/photos").error(),
            ec::invalid_argument)
    << "it can be read at once";
  EXPECT_EQ(place(order_kind::fixity_check, "inst/cold").error(),
            ec::invalid_argument);
}

TEST_F(order_desk_test, finds_nothing_that_is_not_theirs) {
  EXPECT_EQ(place(order_kind::restore_object, "none").error(), ec::not_found);
  EXPECT_EQ(
    place(order_kind::restore_object, "other/x", "", {{"INST"}, {}}).error(),
    ec::not_found);
  EXPECT_EQ(
    place(order_kind::restore_object, "inst/photos", "", {{}, {"c-OTHER"}})
      .error(),
    ec::not_found);
  EXPECT_EQ(place(order_kind::restore_file, "inst/photos", "data/none").error(),
            ec::not_found);
  EXPECT_TRUE(submitted.empty());
}

TEST_F(order_desk_test, refuses_what_is_no_name) {
  const std::string long_name(2'000, 'x');
  for (const auto& name : {std::string{}, long_name})
    EXPECT_EQ(place(order_kind::restore_object, name).error(),
              ec::invalid_argument);
  EXPECT_EQ(place(order_kind::restore_file, "inst/photos").error(),
            ec::invalid_argument);
  EXPECT_EQ(place(order_kind::restore_file, "inst/photos",
                  std::string(2'049, 'x'))
              .error(),
            ec::invalid_argument);
  EXPECT_EQ(place(order_kind::restore_object, std::string(1'024, 'x')).error(),
            ec::not_found)
    << "as long as a name may be";
  EXPECT_EQ(place(order_kind::restore_file, "inst/none", long_name).error(),
            ec::not_found)
    << "a path may be longer";
}

TEST_F(order_desk_test, passes_on_that_another_order_is_not_finished) {
  refusal = caf::make_error(ec::already_exists, std::string{"batch 7"});
  EXPECT_EQ(place(order_kind::restore_object, "inst/photos").error(),
            ec::already_exists);
}

TEST_F(order_desk_test, a_deletion_is_asked_for_and_not_ordered) {
  EXPECT_EQ(place(order_kind::delete_item, "inst/photos").error(),
            ec::not_allowed);
  const auto asked =
    ask_deletion_of({"inst/photos", "inst/cold", "inst/photos"});
  ASSERT_TRUE(asked) << render(asked.error());
  EXPECT_TRUE(submitted.empty());
  ASSERT_EQ(proposed.size(), 1u);
  const auto* request = std::get_if<deletion_changed>(&proposed[0]);
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->user, "INST");
  EXPECT_EQ(request->targets.size(), 2u);
  EXPECT_EQ(request->asked_by, "operator=ann");
  EXPECT_EQ(request->reason, "old");
  EXPECT_NE(request->asked_us, never);
  EXPECT_TRUE(request->inst_approver.empty());
}

TEST_F(order_desk_test, a_request_for_deletion_is_for_one_owner) {
  EXPECT_EQ(ask_deletion_of({"inst/photos", "other/x"}).error(),
            ec::invalid_argument);
  EXPECT_EQ(ask_deletion_of({"other/x"}, {{"INST"}, {}}).error(),
            ec::not_found);
  EXPECT_EQ(ask_deletion_of({}).error(), ec::invalid_argument);
  EXPECT_EQ(ask_deletion_of(std::vector<std::string>(101, "x")).error(),
            ec::not_found)
    << "the same name is one object";
  std::vector<std::string> many;
  for (int i = 0; i < 101; ++i)
    many.push_back(std::to_string(i));
  EXPECT_EQ(ask_deletion_of(many).error(), ec::invalid_argument);
  EXPECT_TRUE(proposed.empty());
}

} // namespace
} // namespace depositd::testing
