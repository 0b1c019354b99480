#pragma once

// Merritt's first stages with everything around them: a web server on this
// machine, a working folder, blobs, a minter, and who has which object.

#include "adapters/digests/digester.hpp"
#include "adapters/fetching/web_downloader.hpp"
#include "adapters/minters/local_minter.hpp"
#include "adapters/processing/merritt/stages.hpp"
#include "adapters/processing/merritt/working_folder.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "tests/adapters/processing/merritt/manifests.hpp"
#include "tests/support/memory_inventory.hpp"
#include "tests/support/scripted_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

namespace depositd::merritt {

namespace fs = std::filesystem;

} // namespace depositd::merritt

namespace depositd::merritt::testing {

using server = depositd::testing::scripted_server;

inline digest digest_of(std::string_view bytes,
                        digest_algorithm by = digest_algorithm::md5) {
  digester sum{by};
  sum.add(bytes);
  return sum.finish();
}

inline std::string content_of(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Names below a folder, in order.
inline std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> out;
  if (fs::exists(folder))
    for (const auto& x : fs::recursive_directory_iterator{folder})
      if (x.is_regular_file())
        out.push_back(x.path().lexically_relative(folder).string());
  std::sort(out.begin(), out.end());
  return out;
}

/// The web that payloads are on.
class file_site {
public:
  file_site() : server_([this](const auto& x) { return answer(x); }) {
    // nop
  }

  std::string put(const std::string& path, std::string bytes) {
    const std::lock_guard guard{mutex_};
    files_[path] = std::move(bytes);
    return server_.url(path);
  }

  void remove(const std::string& path) {
    const std::lock_guard guard{mutex_};
    files_.erase(path);
  }

  /// What the next requests are answered with, before anything else; with
  /// nothing they are answered as ever.
  void next(std::vector<server::script> answers) {
    const std::lock_guard guard{mutex_};
    next_ = std::move(answers);
  }

  std::string url(const std::string& path) const {
    return server_.url(path);
  }

  std::uint16_t port() const {
    return server_.port();
  }

  /// Of requests whose first line begins like this.
  std::size_t count(const std::string& beginning) const {
    std::size_t out = 0;
    for (const auto& x : server_.requests())
      out += x.starts_with(beginning) ? 1 : 0;
    return out;
  }

private:
  std::string answer(const std::string& request) {
    const std::lock_guard guard{mutex_};
    if (!next_.empty()) {
      const auto script = next_.front();
      next_.erase(next_.begin());
      return script(request);
    }
    const auto from = request.find(' ') + 1;
    const auto path = request.substr(from, request.find(' ', from) - from);
    const auto file = files_.find(path);
    if (file == files_.end())
      return server::response("404 Not Found", "Content-Length: 0\r\n", "");
    const auto out = server::ok(file->second);
    return request.starts_with("HEAD")
             ? out.substr(0, out.size() - file->second.size())
             : out;
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::vector<server::script> next_;
  server server_;
};

class stage_world : public ::testing::Test {
protected:
  stage_world() {
    tools.blobs = make_memory_blobs();
    tools.downloader =
      make_web_downloader(guard, {.file_limit = std::chrono::seconds{20},
                                  .retry_delay = std::chrono::milliseconds{1}});
    tools.minter = std::move(*open_local_minter({home.path()}));
    tools.inventory = catalogue;
    tools.work_folder = home.path() / "work";
    fs::create_directory(tools.work_folder);
    collection.name = "demo";
    collection.owner = "owner";
    start();
  }

  /// Handlers as after a start of the engine, with the tools as they are now.
  void start() {
    handlers = first_stages(std::make_shared<stages::stage_tools>(tools));
  }

  outcome call(const std::string& name, const std::string& body,
               std::uint32_t attempt = 1) {
    handle_item item;
    item.item.id = id;
    item.item.token = ++token;
    item.item.attempt = attempt;
    item.item.body = body;
    return handlers.at(name)({item, stage, &collection});
  }

  /// Runs a stage; the job's document is as it is left.
  outcome run(const std::string& name, job_document& job,
              std::uint32_t attempt = 1) {
    auto out = call("merritt." + name, encode(job), attempt);
    if (!out.document.empty())
      job = *decode_job_document(out.document);
    return out;
  }

  /// Runs stages until one of them does not end well, "NAME: reason"; empty if
  /// all did. What comes back at once is done at once.
  std::string run_all(job_document& job,
                      const std::vector<std::string>& names = {
                        "stage", "estimate", "provision", "download",
                        "process"}) {
    for (const auto& name : names) {
      auto out = run(name, job);
      if (out.says == verdict::not_yet && out.delay_ms == 1)
        out = run(name, job);
      if (out.says != verdict::done)
        return name + ": " + out.reason;
    }
    return {};
  }

  batch_document batch_of(const std::string& file_name,
                          const std::string& bytes,
                          const std::string& type = "") {
    batch_document out;
    out.uuid = "bid-1";
    out.user = "sender";
    out.collection = collection.name;
    out.type = type;
    out.submitted = "2026-01-02T03:04:05Z";
    add_payload(out, file_name, bytes);
    return out;
  }

  void add_payload(batch_document& to, const std::string& file_name,
                   const std::string& bytes) {
    payload x;
    x.file_name = file_name;
    x.blob = *tools.blobs->put(bytes);
    to.payloads.push_back(x);
  }

  struct split_batch {
    std::vector<job_document> jobs;
    std::vector<std::size_t> slices; ///< their sizes
    outcome last;
    batch_document batch;
  };

  /// Splits to the end, or to the first failure.
  split_batch split(const batch_document& batch) {
    split_batch out;
    out.batch = batch;
    for (bool more = true; more;) {
      out.last = call("merritt.split", encode(out.batch));
      if (out.last.says != verdict::done)
        return out;
      const auto slice = decode_split_bodies(out.last.document);
      EXPECT_TRUE(slice);
      for (const auto& one : slice->jobs)
        out.jobs.push_back(*decode_job_document(one.body));
      out.slices.push_back(slice->jobs.size());
      out.batch = *decode_batch_document(slice->batch);
      more = !slice->last;
      EXPECT_TRUE(more || batch.split + out.jobs.size() == slice->expected);
    }
    return out;
  }

  /// The only job of what was submitted like this.
  job_document job_of(const std::string& file_name, const std::string& bytes,
                      const std::string& type = "") {
    return split(batch_of(file_name, bytes, type)).jobs.at(0);
  }

  /// A job with a payload that it has got through download, unprocessed.
  job_document downloaded(const std::string& file_name,
                          const std::string& bytes, const std::string& type) {
    auto out = job_of(file_name, bytes, type);
    EXPECT_EQ(run_all(out, {"stage", "estimate", "provision", "download"}), "");
    return out;
  }

  /// Likewise, an object of these files.
  job_document downloaded(const std::map<std::string, std::string>& files) {
    std::string rows;
    for (const auto& [name, bytes] : files)
      rows += site.put("/" + name, bytes) + " | | | | | " + name + "\n";
    return downloaded("object.checkm", object(rows), "manifest");
  }

  job_folder folder(const job_document& job) const {
    return *folder_of(tools.work_folder, job);
  }

  /// A path as presigned addresses have it.
  static std::string signed_path(const std::string& path) {
    return path + "?X-Amz-Date=1&X-Amz-Signature=hidden1&sig=hidden2&token="
           + "hidden3";
  }

  /// Whether a note names an address, and does not say what opens it.
  ::testing::AssertionResult tells_address_only(const std::string& note,
                                                const std::string& path) {
    if (note.find(site.url(path) + "?X-Amz-Date=1&X-Amz-Signature=***")
          != note.npos
        && note.find("hidden") == note.npos)
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << note;
  }

  std::string produced(const job_document& job, const std::string& name) const {
    return content_of(folder(job).producer() / name);
  }

  file_site site;
  temporary_folder home;
  address_guard guard{{{"127.0.0.1", site.port()}}};
  stages::stage_tools tools;
  std::shared_ptr<memory_inventory> catalogue =
    std::make_shared<memory_inventory>();
  collection_settings collection;
  stage_settings stage;
  stages::stage_handlers handlers;
  claim_token token = 0;
  item_id id = 1; ///< of the next call
};

/// A batch manifest with these rows; the profile is "batch", "container-batch"
/// or "single-file-batch".
inline std::string batch_manifest(const std::string& profile,
                                  const std::string& rows) {
  return header("mrt-" + profile + "-manifest") + rows + eof;
}

} // namespace depositd::merritt::testing
