// What of a shard's disk is written down: bodies by their names, and everything
// that a start finds.

#include "actors/rules/control/control.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "tests/simulation/disk.hpp"
#include "tests/simulation/queues_of_lives.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

namespace depositd::simulation {

namespace {

std::string name_of_document(const std::string& body) {
  const auto x = nlohmann::json::parse(body, nullptr, false);
  if (!x.is_object())
    return "no document";
  auto out = x.value("job", x.value("batch", std::string{}));
  if (x.contains("rev"))
    out += '#' + std::to_string(x["rev"].get<std::uint64_t>());
  if (x.contains("split"))
    out += '/' + std::to_string(x["split"].get<std::uint64_t>());
  return out;
}

} // namespace

std::string name_of_body(const std::string& queue, const std::string& body) {
  if (is_of_pipeline(queue))
    return name_of_document(body);
  if (queue != "metadata" && queue != notify_queue)
    return body;
  auto opened = decode_submission_body(body);
  return opened ? opened->submission.file_name : "no envelope";
}

std::string text_of_outcome(const std::string& file_name, ending how) {
  return file_name + (how == ending::done ? " done" : " not done");
}

namespace {

void tell_items(std::ostream& out, const std::string& user,
                const std::string& queue, const rules::ledger& ledger) {
  for (const auto& x : ledger.items())
    out << user << ' ' << queue << ' ' << x.id << ' '
        << static_cast<int>(x.state) << ' ' << int{x.priority} << ' '
        << x.attempt << ' ' << x.size << ' ' << x.received_us << ' '
        << x.available_us << ' ' << x.deadline_us << ' ' << x.token << ' '
        << x.processor << '\n';
}

void tell_work(std::ostream& out, const rules::work& x) {
  std::string bytes;
  for (const auto& [id, batch] : x.batches()) {
    bytes.clear();
    encode(event{batch_moved{
             id, batch.queue, {}, batch.status, batch.jobs, batch.reports}},
           bytes);
    out << "batch " << id << ' ' << word(batch.status.state) << ' '
        << std::hash<std::string>{}(bytes) << '\n';
  }
  for (const auto id : x.jobs_that([](const auto&) { return true; })) {
    const auto& job = *x.job(id);
    bytes.clear();
    encode(event{job_moved{id, "", job.batch, {}, x.status_of(job)}}, bytes);
    out << "job " << id << ' ' << word(job.state) << ' '
        << std::hash<std::string>{}(bytes) << '\n';
  }
}

/// All else that is set. What has no entry is the start's own.
void tell_entries(std::ostream& out, const control_state& x) {
  std::multiset<std::size_t> all;
  std::string bytes;
  const auto tell = [&](const event& change) {
    bytes.clear();
    encode(change, bytes);
    all.insert(std::hash<std::string>{}(bytes));
  };
  for (const auto& change : rules::differences(control_state{}, x))
    tell(change);
  for (const auto& [name, topic] : x.topics)
    tell(topic);
  for (const auto one : all)
    out << "set " << one << '\n';
}

} // namespace

std::string text_of(const shard::recovered_state& x) {
  std::ostringstream out;
  for (const auto& [user, ledgers] : x.ledgers)
    for (const auto& [queue, ledger] : ledgers)
      tell_items(out, user, queue, ledger);
  for (const auto& [key, ring] : x.rings)
    out << "ring " << key.first << ' ' << key.second << ' ' << ring.stamp << ' '
        << ring.credit << ' ' << ring.paid.spent << ' ' << ring.paid.floor
        << ' ' << ring.since << '\n';
  std::string bytes;
  const auto tell = [&](const event& change) {
    bytes.clear();
    encode(change, bytes);
    out << std::hash<std::string>{}(bytes) << '\n';
  };
  for (const auto& [name, settings] : x.control.queues)
    tell(queue_changed{name, settings});
  for (const auto& [key, limits] : x.control.limits)
    tell(limits);
  for (const auto& [user, eligibility] : x.control.eligibilities)
    tell(
      user_eligibility_changed{user, eligibility.held, eligibility.prohibited});
  tell(x.control.server);
  tell_entries(out, x.control);
  for (const auto& [name, settings] : x.control.collections)
    tell(collection_changed{settings, false});
  for (const auto& [name, stages] : x.control.pipelines)
    tell(pipeline_changed{stages, false});
  for (const auto& [user, work] : x.work)
    tell_work(out, work);
  out << "ids " << x.id_max << '\n';
  return out.str();
}

} // namespace depositd::simulation
