#pragma once

// APTrust's ingest with everything around it: a receiving folder, two places of
// storage, the inventory, and other items that are on their way.

#include "adapters/processing/aptrust/ingest/bag_reader.hpp"
#include "adapters/processing/aptrust/ingest/stages.hpp"
#include "adapters/processing/aptrust/work_item.hpp"
#include "adapters/stores/objects/folder_objects.hpp"
#include "adapters/stores/receiving/folder_receiving.hpp"
#include "adapters/stores/sqlite/sqlite_inventory.hpp"
#include "messages/values/clock.hpp"
#include "tests/adapters/processing/aptrust/tarred_bags.hpp"
#include "tests/adapters/processing/merritt/keeping_world.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace depositd::aptrust::testing {

namespace fs = std::filesystem;

/// The read model that a test has written.
class written_items final : public work_reader {
public:
  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    std::vector<batch_row> out;
    for (const auto& row : batch_rows)
      if (row.info.uuid == x.uuid)
        out.push_back(row);
    return out;
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    std::vector<job_row> out;
    for (const auto& row : rows) {
      const auto& states = x.states;
      const bool in_state =
        states.empty()
        || std::find(states.begin(), states.end(), row.status.state)
             != states.end();
      if (in_state && (x.id == 0 || x.id == row.id)
          && (x.uuid.empty() || x.uuid == row.info.uuid)
          && (x.user.empty() || x.user == row.user)
          && (x.identifier.empty() || x.identifier == row.facts.identifier))
        out.push_back(row);
    }
    return out;
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  std::vector<batch_row> batch_rows;
  std::vector<job_row> rows;
};

/// Names below a folder, in order.
inline std::string files_below(const fs::path& folder) {
  std::vector<std::string> found;
  if (fs::exists(folder))
    for (const auto& x : fs::recursive_directory_iterator{folder})
      if (x.is_regular_file())
        found.push_back(x.path().lexically_relative(folder).string());
  std::sort(found.begin(), found.end());
  std::string out;
  for (const auto& x : found)
    out += (out.empty() ? "" : " ") + x;
  return out;
}

class ingest_world : public ::testing::Test {
protected:
  ingest_world() {
    fs::create_directory(home.path() / "work");
    fs::create_directory(home.path() / "receiving");
    tools->work_folder = home.path() / "work";
    for (const auto* name : {"local", "far"}) {
      auto opened = open_folder_objects({.folder = home.path() / name});
      EXPECT_TRUE(opened) << render(opened.error());
      targets[name] =
        std::make_shared<merritt::failing_storage>(std::move(*opened));
      tools->storage[name] = targets[name];
    }
    auto things = open_sqlite_inventory(":memory:");
    EXPECT_TRUE(things) << render(things.error());
    tools->inventory = std::move(*things);
    auto place = open_folder_receiving({.folder = home.path() / "receiving"});
    EXPECT_TRUE(place) << render(place.error());
    tools->receiving["test"] = std::move(*place);
    tools->work = items;
    tools->wake = [this](wake_items x) { woken.push_back(std::move(x)); };
    tools->lock_waits = std::make_shared<stages::item_waits>(tools->wake);
    collection.name = "photos";
    collection.owner = "test.edu";
    collection.pipeline = "aptrust";
    collection.storage = {"local", "far"};
    handlers = ingest_stages({.tools = tools,
                              .profiles = nullptr,
                              .profile_otherwise = {},
                              .siegfried = {},
                              .programs = {},
                              .node = "worker-1"});
  }

  /// Puts it where the institution does, as if some time ago.
  void put(const std::string& name, const std::string& bytes) {
    const auto path = home.path() / "receiving" / name;
    std::ofstream{path, std::ios::binary} << bytes;
    // Each is put there a minute later than the one before.
    fs::last_write_time(path, fs::file_time_type::clock::now()
                                - std::chrono::hours{48}
                                + std::chrono::minutes{++received});
  }

  /// A bag that was put there.
  received_bag receive(const std::string& name, const std::string& bytes) {
    put(name, bytes);
    const auto found = tools->receiving["test"]->look(name);
    EXPECT_TRUE(found) << render(found.error());
    return found ? *found : received_bag{};
  }

  received_bag receive(const bag_parts& x) {
    return receive(x.name + ".tar", packed(x));
  }

  /// The job of a bag that the reader has found.
  job_document job_of(const received_bag& bag,
                      const std::string& uuid = "jid-1") {
    job_document out;
    out.uuid = uuid;
    out.batch_uuid = "bid-1";
    out.user = "test.edu";
    out.collection = "photos";
    out.payload.file_name = bag.name;
    out.what.identifier = object_of_bag("test.edu", bag.name);
    work_item item;
    item.name = bag.name;
    item.etag = bag.etag;
    item.bucket = "test";
    item.size = bag.bytes;
    item.bag_date = bag.modified_us;
    item.institution = "test.edu";
    item.created_at = engine_clock::system().now() - 1'000'000;
    put_work_item(out.more, item);
    return out;
  }

  /// Runs a stage, "prefetch"; the job's document is as it is left.
  outcome run(const std::string& name, job_document& job) {
    handle_item item;
    item.queue = "aptrust." + name;
    item.item.id = id;
    item.item.token = ++token;
    item.item.attempt = attempt;
    item.item.user = job.user;
    item.item.body = encode(job);
    auto out = handlers.at("aptrust." + name)({item, stage, &collection});
    if (!out.document.empty()) {
      const auto after = decode_job_document(out.document);
      EXPECT_TRUE(after);
      if (after)
        job = *after;
    }
    return out;
  }

  static inline const std::vector<std::string> all_stages = {
    "prefetch", "validate", "reingest", "stage",  "identify",
    "store",    "check",    "record",   "cleanup"};

  /// Runs stages up to this one until one does not end well, "NAME: reason".
  std::string run_through(job_document& job,
                          const std::string& last = "cleanup") {
    for (const auto& name : all_stages) {
      const auto out = run(name, job);
      if (out.says != verdict::done)
        return name + ": " + out.reason;
      if (name == last)
        break;
    }
    return {};
  }

  work_item item_of(const job_document& job) {
    const auto item = work_item_in(job.more);
    EXPECT_TRUE(item && *item);
    return item && *item ? **item : work_item{};
  }

  fs::path folder(const job_document& job) const {
    return home.path() / "work" / job.batch_uuid / job.uuid;
  }

  /// "v1 PATH PATH", of the object's last version.
  std::string stored(const std::string& target,
                     const std::string& object = "test.edu/photos") {
    const auto shown = targets.at(target)->show(object, 0);
    EXPECT_TRUE(shown) << render(shown.error());
    std::string out;
    if (shown) {
      out = "v" + std::to_string(shown->number);
      for (const auto& file : shown->files)
        out += " " + file.path;
    }
    return out;
  }

  /// Writes over what a target keeps under this name; how often it did.
  std::size_t write_over(const std::string& target, const std::string& name,
                         const std::string& bytes) {
    std::size_t count = 0;
    for (const auto& x : fs::recursive_directory_iterator{home.path() / target})
      if (x.path().filename() == name) {
        std::ofstream{x.path(), std::ios::binary} << bytes;
        ++count;
      }
    return count;
  }

  std::vector<premis_event> events(premis_query ask = {}) {
    ask.object = "test.edu/photos";
    const auto found = tools->inventory->events(ask);
    EXPECT_TRUE(found) << render(found.error());
    return found ? *found : std::vector<premis_event>{};
  }

  /// Another ingest of the object that is on its way.
  void also_on_its_way(item_id other, job_state state = job_state::processing) {
    job_row row;
    row.id = other;
    row.user = "test.edu";
    row.info.pipeline = "aptrust";
    row.facts.identifier = "test.edu/photos";
    row.status.state = state;
    items->rows.push_back(row);
  }

  const file_map two_files{{"a.txt", "first\n"}, {"more/b.txt", "second\n"}};

  temporary_folder home;
  std::shared_ptr<stages::stage_tools> tools =
    std::make_shared<stages::stage_tools>();
  std::map<std::string, std::shared_ptr<merritt::failing_storage>> targets;
  std::shared_ptr<written_items> items = std::make_shared<written_items>();
  std::vector<wake_items> woken;
  collection_settings collection;
  stage_settings stage{.attempts_max = 3};
  stages::stage_handlers handlers;
  item_id id = 7;
  claim_token token = 0;
  std::uint32_t attempt = 1;
  int received = 0;
};

class ingest : public ingest_world {};

} // namespace depositd::aptrust::testing
