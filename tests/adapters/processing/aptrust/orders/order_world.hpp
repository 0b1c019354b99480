#pragma once

// Orders with everything around them: storage in folders, one of which can be
// far away, an inventory, a place where things are given back, and shards that
// take what is submitted.

#include "adapters/digests/digester.hpp"
#include "adapters/processing/aptrust/orders/splitting.hpp"
#include "adapters/processing/aptrust/orders/stages.hpp"
#include "adapters/processing/aptrust/work_item.hpp"
#include "adapters/stores/objects/folder_objects.hpp"
#include "adapters/stores/restoration/folder_restoration.hpp"
#include "adapters/stores/sqlite/sqlite_inventory.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/control.hpp"
#include "messages/values/orders.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace depositd::aptrust::testing {

using contents = std::map<std::string, std::string>;

/// Storage that counts who reads, can be away, and brings things back as a test
/// says.
class watched_storage final : public storage_target {
public:
  explicit watched_storage(std::unique_ptr<storage_target> to)
    : to_(std::move(to)) {
    // nop
  }

  caf::expected<put_result> put(const new_version& x) override {
    return to_->put(x);
  }

  caf::expected<object_version> show(const std::string& object,
                                     std::uint32_t version) override {
    ++shows;
    return to_->show(object, version);
  }

  caf::expected<std::uint32_t> version_with(const std::string& object,
                                            const stored_file& file) override {
    if (away)
      return gone();
    return to_->version_with(object, file);
  }

  caf::error get(const std::string& object, std::uint32_t version,
                 const std::string& path,
                 const std::filesystem::path& to) override {
    ++reads;
    return away ? gone() : to_->get(object, version, path, to);
  }

  caf::error
  read(const std::string& object, std::uint32_t version,
       const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) override {
    ++reads;
    return away ? gone() : to_->read(object, version, path, sink);
  }

  caf::expected<recall> bring_back(const std::string& object,
                                   const std::string& path,
                                   std::uint32_t days) override {
    ++asked;
    last_days = days;
    if (answers.empty())
      return to_->bring_back(object, path, days);
    auto out = std::move(answers.front());
    answers.erase(answers.begin());
    return out;
  }

  caf::error verify(const std::string& object, std::uint32_t version) override {
    return to_->verify(object, version);
  }

  caf::expected<std::uint64_t>
  mend(const std::string& object, const std::vector<new_file>& files) override {
    return to_->mend(object, files);
  }

  caf::error remove(const std::string& object) override {
    ++removed;
    return away ? gone() : to_->remove(object);
  }

  bool away = false;
  int reads = 0;
  int shows = 0; ///< of whole objects
  int asked = 0;
  int removed = 0;
  std::uint32_t last_days = 0;
  std::vector<caf::expected<recall>> answers; ///< in turn; then what is true

private:
  static caf::error gone() {
    return caf::make_error(ec::store_failed, std::string{"storage is away"});
  }

  std::unique_ptr<storage_target> to_;
};

/// The read model: batches that were submitted.
class known_batches final : public work_reader {
public:
  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    std::vector<batch_row> out;
    for (const auto& row : rows)
      if ((x.uuid.empty() || row.info.uuid == x.uuid)
          && (x.users.empty() || row.user == x.users.front())
          && (x.after.empty() || row.id > x.after.front())
          && out.size() < x.count_max)
        out.push_back(row);
    return out;
  }

  caf::expected<std::vector<job_row>> jobs(const job_query&) override {
    return std::vector<job_row>{};
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  std::vector<batch_row> rows;
};

class order_world : public ::testing::Test {
protected:
  order_world() {
    tools->work_folder = home.path() / "work";
    std::filesystem::create_directory(tools->work_folder);
    for (const auto* name : {"local", "far"}) {
      auto opened = open_folder_objects({.folder = home.path() / name});
      EXPECT_TRUE(opened) << render(opened.error());
      targets[name] = std::make_shared<watched_storage>(std::move(*opened));
      tools->storage[name] = targets[name];
    }
    auto things = open_sqlite_inventory(":memory:");
    EXPECT_TRUE(things) << render(things.error());
    tools->inventory = std::move(*things);
    auto back = open_folder_restoration({.folder = home.path() / "back"});
    EXPECT_TRUE(back) << render(back.error());
    tools->restoration = std::move(*back);
    tools->work = known;
    tools->submit = [this](submit_batch x) { return take(std::move(x)); };
    collection.name = "photos";
    collection.owner = "INST";
    collection.storage = {"local", "far"};
    stage.attempts_max = 3;
    handlers = order_stages(tools);
    splitter = make_order_splitter(tools, [](const stages::stage_task&) {
      outcome out;
      out.says = verdict::failed;
      out.reason = "not an order";
      return out;
    });
  }

  caf::expected<item_id> take(submit_batch x) {
    if (submit_fails)
      return submit_fails;
    batch_row row;
    row.id = 100 + known->rows.size();
    row.user = x.user;
    row.info = x.info;
    known->rows.push_back(row);
    submitted.push_back(std::move(x));
    return row.id;
  }

  static std::string sha512_of(const std::string& bytes) {
    digester sum{digest_algorithm::sha512};
    sum.add(bytes);
    return sum.finish().value;
  }

  /// Stores and records an object of INST.
  void store(const std::string& object, const contents& files,
             std::vector<std::string> in = {"local"},
             micros recorded_us = 1'000) {
    store_version(object, 1, files, std::move(in), recorded_us);
  }

  /// Another version of it.
  void record_more(const std::string& object, const contents& files,
                   std::vector<std::string> in, micros recorded_us) {
    store_version(object, 2, files, std::move(in), recorded_us);
  }

  void store_version(const std::string& object, std::uint32_t number,
                     const contents& files, std::vector<std::string> in,
                     micros recorded_us) {
    new_version version{.object = object, .files = {}, .created_us = 1};
    inventory_entry entry;
    for (const auto& [path, bytes] : files) {
      const auto source = home.path() / std::to_string(++sources);
      std::ofstream{source, std::ios::binary} << bytes;
      version.files.push_back({path, source});
      entry.files.push_back({path, bytes.size(), sha512_of(bytes)});
    }
    for (const auto& name : in)
      ASSERT_TRUE(targets.at(name)->put(version));
    entry.identifier = object;
    entry.collection = "photos";
    entry.owner = "INST";
    entry.storage = std::move(in);
    entry.version.number = number;
    entry.version.job = "jid-of-" + object;
    if (number > 1)
      entry.version.job += "-" + std::to_string(number);
    entry.version.batch = "bid-of-" + object;
    entry.version.user = "INST";
    entry.version.files = files.size();
    entry.version.recorded_us = recorded_us;
    const auto failed = tools->inventory->record(entry);
    ASSERT_FALSE(failed) << render(failed);
  }

  /// Stores a version that the inventory does not know.
  void store_unrecorded(const std::string& object, const contents& files,
                        const std::string& where = "local") {
    new_version version{.object = object, .files = {}, .created_us = 2};
    for (const auto& [path, bytes] : files) {
      const auto source = home.path() / std::to_string(++sources);
      std::ofstream{source, std::ios::binary} << bytes;
      version.files.push_back({path, source});
    }
    ASSERT_TRUE(targets.at(where)->put(version));
  }

  static preservation_order an_order(order_kind kind, const std::string& object,
                                     const std::string& file = "") {
    preservation_order out;
    out.kind = kind;
    out.object = object;
    out.file = file;
    out.asked_by = "operator=ann";
    return out;
  }

  /// The job that an order becomes.
  job_document job_of(const preservation_order& x,
                      const std::string& uuid = "jid-1") {
    job_document out;
    out.uuid = uuid;
    out.batch_uuid = "bid-1";
    out.user = "INST";
    out.collection = "photos";
    out.what.identifier = x.object;
    put_order(out.more, x);
    return out;
  }

  /// Runs the stage of a topic; the job becomes what the outcome says.
  outcome run(const std::string& topic, job_document& job) {
    handle_item item;
    item.item.id = 9;
    item.item.token = ++token;
    item.item.attempt = 1;
    item.item.user = "INST";
    item.item.body = encode(job);
    item.control = std::make_shared<const control_state>(control);
    item.queue = "aptrust_" + topic + "." + topic;
    auto out = handlers.at("aptrust." + topic)(
      {item, stage, has_collection ? &collection : nullptr});
    if (!out.document.empty())
      job = *decode_job_document(out.document);
    return out;
  }

  outcome run(const preservation_order& x) {
    auto job = job_of(x);
    return run(word(x.kind), job);
  }

  /// Splits an order's batch to its end.
  std::vector<job_document> split(const preservation_order& x,
                                  const std::string& source = "shell") {
    const auto made = make_order(x, {.uuid = "bid-1",
                                     .user = "INST",
                                     .collection = "photos",
                                     .source = source,
                                     .now_us = 1'000'000});
    batch_row row;
    row.id = 5'000;
    row.user = "INST";
    row.info = made.info;
    row.status.state = batch_state::processing;
    known->rows.push_back(row);
    std::vector<job_document> out;
    auto body = encode(made.document);
    for (bool more = true; more;) {
      handle_item item;
      item.item.body = body;
      last_split = splitter({item, stage, &collection});
      if (last_split.says != verdict::done)
        return out;
      const auto slice = decode_split_bodies(last_split.document);
      EXPECT_TRUE(slice) << render(slice.error());
      for (const auto& one : slice->jobs)
        out.push_back(*decode_job_document(one.body));
      body = slice->batch;
      more = !slice->last;
    }
    return out;
  }

  std::vector<premis_event> events(const std::string& object,
                                   const std::string& type) {
    const auto found =
      tools->inventory->events({.object = object, .type = type});
    EXPECT_TRUE(found) << render(found.error());
    return found ? *found : std::vector<premis_event>{};
  }

  bool is_stored(const std::string& object, const std::string& where) {
    return static_cast<bool>(targets.at(where)->show(object, 0));
  }

  bool is_known(const std::string& object) {
    const auto found =
      tools->inventory->find({.identifier = object, .count_max = 1});
    return found && !found->empty();
  }

  static std::string content_of(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  /// Turns a bit of what a target keeps.
  void damage(const std::string& where, const std::string& bytes) {
    for (const auto& x :
         std::filesystem::recursive_directory_iterator{home.path() / where})
      if (x.is_regular_file() && content_of(x.path()) == bytes) {
        std::filesystem::permissions(x.path(),
                                     std::filesystem::perms::owner_write,
                                     std::filesystem::perm_options::add);
        auto other = bytes;
        other.front() ^= 1;
        std::ofstream{x.path(), std::ios::binary} << other;
        return;
      }
    FAIL() << "nothing like that in " << where;
  }

  static bool says(const outcome& x, const std::string& part) {
    return x.reason.find(part) != std::string::npos;
  }

  temporary_folder home;
  std::shared_ptr<stages::stage_tools> tools =
    std::make_shared<stages::stage_tools>();
  std::map<std::string, std::shared_ptr<watched_storage>> targets;
  std::shared_ptr<known_batches> known = std::make_shared<known_batches>();
  std::vector<submit_batch> submitted;
  caf::error submit_fails;
  control_state control;
  collection_settings collection;
  bool has_collection = true;
  stage_settings stage;
  stages::stage_handlers handlers;
  stages::stage_handler splitter;
  outcome last_split;
  std::uint64_t token = 0;
  int sources = 0;
};

} // namespace depositd::aptrust::testing
