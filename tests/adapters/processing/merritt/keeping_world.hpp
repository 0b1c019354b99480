#pragma once

// What Merritt's last stages touch: storage in a folder, an inventory in
// memory, and people who remember what they were told.

#include "adapters/processing/merritt/keeping.hpp"
#include "adapters/processing/merritt/system_files.hpp"
#include "adapters/stores/objects/folder_objects.hpp"
#include "adapters/stores/sqlite/sqlite_inventory.hpp"
#include "messages/values/clock.hpp"
#include "tests/support/noted_messages.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>

namespace depositd::merritt {

using depositd::testing::noted_callbacks;
using depositd::testing::noted_mails;

/// Storage that can be away, and counts what is put.
class failing_storage final : public storage_target {
public:
  explicit failing_storage(std::unique_ptr<storage_target> to)
    : to_(std::move(to)) {
    // nop
  }

  caf::expected<put_result> put(const new_version& x) override {
    if (away)
      return caf::make_error(ec::store_failed, "storage is away");
    ++puts;
    return to_->put(x);
  }

  caf::expected<object_version> show(const std::string& object,
                                     std::uint32_t version) override {
    if (away)
      return caf::make_error(ec::store_failed, "storage is away");
    return to_->show(object, version);
  }

  caf::expected<std::uint32_t> version_with(const std::string& object,
                                            const stored_file& file) override {
    return to_->version_with(object, file);
  }

  caf::error get(const std::string& object, std::uint32_t version,
                 const std::string& path,
                 const std::filesystem::path& to) override {
    return to_->get(object, version, path, to);
  }

  caf::error
  read(const std::string& object, std::uint32_t version,
       const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) override {
    return to_->read(object, version, path, sink);
  }

  caf::error verify(const std::string& object, std::uint32_t version) override {
    ++verified;
    return damaged ? caf::make_error(ec::store_damaged, "a bit has turned")
                   : to_->verify(object, version);
  }

  caf::expected<std::uint64_t>
  mend(const std::string& object, const std::vector<new_file>& files) override {
    return to_->mend(object, files);
  }

  std::size_t path_bytes_max() const override {
    return path_max;
  }

  caf::error remove(const std::string& object) override {
    return to_->remove(object);
  }

  bool away = false;
  bool damaged = false;
  std::size_t path_max = payload_path_bytes_max;
  int puts = 0;
  int verified = 0;

private:
  std::unique_ptr<storage_target> to_;
};

/// The read model that a test has written.
class written_work final : public work_reader {
public:
  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    return batch.id == x.id ? std::vector<batch_row>{batch}
                            : std::vector<batch_row>{};
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    std::vector<job_row> out;
    for (const auto& row : rows)
      if (row.batch == x.batch && out.size() < x.count_max
          && (x.after.empty() || row.id > x.after.front()))
        out.push_back(row);
    return out;
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  batch_row batch;
  std::vector<job_row> rows; ///< by their numbers
};

class keeping_world : public ::testing::Test {
protected:
  using contents = std::map<std::string, std::string>;

  keeping_world() {
    tools->work_folder = home.path() / "work";
    for (const auto* name : {"local", "far"}) {
      auto opened = open_folder_objects({.folder = home.path() / name});
      EXPECT_TRUE(opened) << render(opened.error());
      targets[name] = std::make_shared<failing_storage>(std::move(*opened));
      tools->storage[name] = targets[name];
    }
    auto things = open_sqlite_inventory(":memory:");
    EXPECT_TRUE(things) << render(things.error());
    tools->inventory = std::move(*things);
    tools->mailer = mails;
    tools->callbacks = calls;
    tools->work = work;
    collection.name = "maps";
    collection.owner = "ann";
    stage.attempts_max = 3;
    handlers = last_stages(tools);
  }

  /// A job that has come as far as `process`, with these files.
  job_document a_job(const std::string& uuid, const contents& files,
                     const std::string& identifier = "ark:/99999/fk4a") {
    job_document out;
    out.uuid = uuid;
    out.batch_uuid = "bid-1";
    out.user = "bob";
    out.collection = "maps";
    out.what.identifier = identifier;
    out.what.title = "A Map";
    out.payload.file_name = "map.zip";
    out.submitted = "2026-01-01T00:00:00Z";
    const auto folder = folder_of(tools->work_folder, out);
    EXPECT_TRUE(folder);
    for (const auto& [path, bytes] : files) {
      const auto file = folder->root / path;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream{file, std::ios::binary} << bytes;
    }
    const handle_item item;
    const stages::stage_task task{item, stage, &collection};
    work_on_job processed{*tools, task, out, *folder};
    auto failed = write_system_files(processed, {});
    if (!failed)
      failed = write_list_to_store(processed);
    EXPECT_FALSE(failed) << render(failed);
    return processed.job;
  }

  /// Runs a stage on a job, which becomes what the outcome says.
  outcome run(const std::string& handler, job_document& job) {
    auto body = encode(job);
    auto out = run_body(handler, body);
    const auto after = decode_job_document(body);
    EXPECT_TRUE(after);
    if (after)
      job = *after;
    return out;
  }

  outcome run_body(const std::string& handler, std::string& body) {
    handle_item item;
    item.item.id = id;
    item.item.token = token;
    item.item.attempt = attempt;
    item.item.user = "bob";
    item.item.body = body;
    const auto out = handlers.at(handler)(
      {item, stage, has_collection ? &collection : nullptr});
    if (!out.document.empty())
      body = out.document;
    return out;
  }

  /// Paths of the object's last version, without the system's.
  std::string stored(const std::string& target = "local",
                     const std::string& object = "ark:/99999/fk4a") {
    const auto shown = targets.at(target)->show(object, 0);
    EXPECT_TRUE(shown) << render(shown.error());
    std::string out;
    if (shown) {
      out = "v" + std::to_string(shown->number);
      for (const auto& file : shown->files)
        if (!file.path.starts_with("system/"))
          out += " " + file.path;
    }
    return out;
  }

  bool locked(const std::string& name) {
    const auto now = engine_clock::system().now();
    const auto taken =
      tools->inventory->lock({name, "somebody", 1, now + 60'000'000}, now);
    if (taken && *taken) {
      EXPECT_FALSE(tools->inventory->unlock_all("somebody", any_token));
    }
    return taken && !*taken;
  }

  temporary_folder home;
  std::shared_ptr<stages::stage_tools> tools =
    std::make_shared<stages::stage_tools>();
  std::map<std::string, std::shared_ptr<failing_storage>> targets;
  std::shared_ptr<noted_mails> mails = std::make_shared<noted_mails>();
  std::shared_ptr<noted_callbacks> calls = std::make_shared<noted_callbacks>();
  std::shared_ptr<written_work> work = std::make_shared<written_work>();
  stages::receiver_turns turns;
  collection_settings collection;
  bool has_collection = true;
  stage_settings stage;
  item_id id = 7;
  claim_token token = 5;
  std::uint32_t attempt = 1;
  stages::stage_handlers handlers;
};

} // namespace depositd::merritt
