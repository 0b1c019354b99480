#include "adapters/processing/aptrust/ingest/bag_reader.hpp"

#include "adapters/bagit/paths.hpp"
#include "adapters/processing/aptrust/arriving.hpp"
#include "adapters/processing/aptrust/work_item.hpp"
#include "adapters/processing/merritt/splitting.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "messages/values/grace.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/uuid.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace depositd::aptrust {

namespace {

/// Of one bag, made anew each time that its object was deleted.
constexpr std::uint32_t again_max = 10'000;

/// Of one look, that are told.
constexpr std::size_t refusals_max = 20;

/// In a row, of one look: each may take as long as a server may be silent.
constexpr std::size_t failed_removals_max = 20;

micros micros_of(std::chrono::hours x) {
  return std::chrono::microseconds{x}.count();
}

/// Somebody else's name, which has to stay in its line of the log.
std::string shown_name(const std::string& name) {
  std::string out;
  for (const char c : bagit::shown_path(name)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    out += plain && c != '"' ? c : '?';
  }
  return out;
}

void note(const received_bag& bag, const caf::error& why, refusal_map& in) {
  auto reason = render(why);
  auto at = in.find(reason);
  if (at == in.end()) {
    if (in.size() == refusals_max)
      return;
    at = in.emplace(std::move(reason), refused_bags{shown_name(bag.name), 0})
           .first;
  }
  ++at->second.count;
}

/// Tells what was not so at the look before.
void log_new(std::string_view event, const std::string& place,
             const refusal_map& found, std::set<std::string>& told) {
  std::set<std::string> now;
  for (const auto& [reason, bags] : found) {
    now.insert(reason);
    if (!told.contains(reason))
      spdlog::warn("{} place={} name=\"{}\" bags={} reason=\"{}\"", event,
                   place, bags.first, bags.count, reason);
  }
  told = std::move(now);
}

} // namespace

struct bag_reader::known_item {
  last_item last = last_item::none;
  std::uint32_t again = 0; ///< how many there are
  micros changed_us = never;
};

std::string batch_uuid(const bag_reader_options& by, const received_bag& bag,
                       std::uint32_t again) {
  std::string parts;
  for (const auto& part :
       {by.user, by.place, bag.name, bag.etag, std::to_string(again)})
    parts += std::to_string(part.size()) + "\n" + part;
  return "bid-" + uuid_of_digest(sha256_hex(parts));
}

std::string object_of_bag(const std::string& user, const std::string& name) {
  return user + "/" + name.substr(0, name.size() - std::string{".tar"}.size());
}

bag_reader::bag_reader(bag_reader_options options)
  : options_(std::move(options)),
    removes_from_us_(options_.now() + micros_of(grace_after_start)) {
  // nop
}

caf::expected<bags_read> bag_reader::run() {
  done_ = {};
  not_removed_ = 0;
  if (options_.leads && !options_.leads())
    return done_;
  auto failure =
    options_.bags->each([this](const received_bag& bag) { return take(bag); });
  if (failure)
    return failure;
  note_passed_over();
  return done_;
}

void bag_reader::note_passed_over() {
  std::set<std::string> there;
  for (const auto& name : options_.bags->passed_over())
    there.insert(shown_name(name));
  for (const auto& name : there)
    if (!passed_over_.contains(name))
      done_.passed_over.push_back(name);
  passed_over_ = std::move(there);
}

void bag_reader::log_refusals(const bags_read& done) {
  log_new("bag_not_submitted", options_.place, done.refusals, refusals_);
  log_new("bag_not_removed", options_.place, done.kept, kept_);
}

bool bag_reader::run_and_log() {
  const auto done = run();
  if (done)
    log_refusals(*done);
  if (done)
    for (const auto& name : done->passed_over)
      spdlog::warn("receiving_passed_over place={} name=\"{}\" reason=\"a bag "
                   "is a file in one piece, and its name, which ends with "
                   ".tar, has no backslash or control character and is UTF-8\"",
                   options_.place, name);
  if (done && reading_.is_over())
    spdlog::info("receiving_read_again place={}", options_.place);
  if (auto reason = done ? std::string{} : render(done.error());
      !done && reading_.is_new(reason))
    spdlog::warn("receiving_not_read place={} reason=\"{}\"", options_.place,
                 reason);
  if (done && (done->submitted > 0 || done->removed > 0 || done->refused > 0))
    spdlog::info("receiving_read place={} seen={} submitted={} removed={} "
                 "refused={}",
                 options_.place, done->seen, done->submitted, done->removed,
                 done->refused);
  return done && done->refused == 0;
}

caf::error bag_reader::take(const received_bag& bag) {
  ++done_.seen;
  const auto known = last_of(bag);
  if (!known)
    return known.error();
  arrival_facts facts;
  facts.last = known->last;
  if (facts.last == last_item::succeeded) {
    const auto active = is_active(bag);
    if (!active)
      return active.error();
    facts.object_active = *active;
  }
  facts.past_retention = is_past(known->changed_us);
  switch (decide_arrival(facts)) {
    case arrival::skip:
      return {};
    case arrival::create:
      submit(bag, known->again);
      return {};
    case arrival::remove:
      remove(bag);
      return {};
  }
  return {};
}

/// What cannot be taken away keeps out nobody behind it.
void bag_reader::remove(const received_bag& bag) {
  if (not_removed_ >= failed_removals_max)
    return;
  const auto gone = options_.bags->remove(bag.name, bag.etag);
  not_removed_ = gone ? 0 : not_removed_ + 1;
  if (!gone)
    note(bag, gone.error(), done_.kept);
  else if (*gone)
    ++done_.removed;
}

bool bag_reader::is_past(micros changed_us) const {
  const auto kept_us = micros_of(options_.invalid_retention);
  const auto counted = options_.now();
  const auto now =
    options_.wall ? std::min(counted, options_.wall()) : counted;
  return kept_us > 0 && counted >= removes_from_us_
         && changed_us + kept_us <= now;
}

caf::expected<bag_reader::known_item>
bag_reader::last_of(const received_bag& bag) {
  known_item out;
  for (; out.again < again_max; ++out.again) {
    batch_query ask;
    ask.uuid = batch_uuid(options_, bag, out.again);
    ask.count_max = 1;
    const auto batches = options_.reads->batches(ask);
    if (!batches)
      return batches.error();
    if (batches->empty())
      return out;
    job_query of_batch;
    of_batch.uuid = merritt::job_uuid(ask.uuid, 1);
    of_batch.count_max = 1;
    const auto jobs = options_.reads->jobs(of_batch);
    if (!jobs)
      return jobs.error();
    const auto& batch = batches->front();
    const auto* job = jobs->empty() ? nullptr : &jobs->front();
    out.last = became_of(batch, job);
    out.changed_us = job ? job->status.changed_us : batch.status.changed_us;
    // Only of these another may have been made.
    if (out.last != last_item::cancelled && out.last != last_item::succeeded)
      return out;
  }
  return out;
}

caf::expected<bool> bag_reader::is_active(const received_bag& bag) {
  const auto found = options_.inventory->find(
    {.identifier = object_of_bag(options_.user, bag.name)});
  if (!found)
    return found.error();
  return !found->empty();
}

void bag_reader::submit(const received_bag& bag, std::uint32_t again) {
  const auto now = options_.now();
  work_item item;
  item.name = bag.name;
  item.etag = bag.etag;
  item.bucket = options_.place;
  item.size = bag.bytes;
  item.bag_date = bag.modified_us;
  item.institution = options_.user;
  item.user = options_.user;
  item.queued_at = now;
  item.date_processed = now;
  item.created_at = now;
  item.updated_at = now;
  batch_document batch;
  batch.uuid = batch_uuid(options_, bag, again);
  batch.user = options_.user;
  batch.collection = options_.collection;
  batch.type = "file";
  batch.payloads.push_back({.file_name = bag.name, .bytes = bag.bytes});
  batch.what.identifier = object_of_bag(options_.user, bag.name);
  batch.what.title = bag.name;
  batch.what.date = format_utc(bag.modified_us);
  batch.submitted = format_utc(now);
  put_work_item(batch.more, item);
  submit_batch what;
  what.user = options_.user;
  what.info = {.uuid = batch.uuid,
               .collection = options_.collection,
               .pipeline = {},
               .source = "receiving",
               .submitter = {},
               .type = batch.type,
               .file_name = bag.name,
               .title = batch.what.title};
  what.document = encode(batch);
  const auto made = options_.submit(std::move(what));
  if (made) {
    ++done_.submitted;
    return;
  }
  ++done_.refused;
  note(bag, made.error(), done_.refusals);
}

} // namespace depositd::aptrust
