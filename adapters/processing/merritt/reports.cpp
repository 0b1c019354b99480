#include "adapters/processing/merritt/reports.hpp"

#include "messages/values/csv.hpp"
#include "messages/values/cut_text.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>
#include <exception>

namespace depositd::merritt {

namespace {

using json = nlohmann::json;

bool is_open(const job_row& x) {
  return x.status.state != job_state::completed
         && x.status.state != job_state::failed
         && x.status.state != job_state::deleted;
}

bool ended_well(const report& x) {
  return x.batch.jobs.split
         && std::none_of(x.jobs.begin(), x.jobs.end(), [](const auto& job) {
              return job.status.state == job_state::failed || is_open(job);
            });
}

bool was_open(const told& x, item_id id) {
  return std::binary_search(x.open.begin(), x.open.end(), id);
}

/// Whether this job is something that its depositor was not told.
bool is_news(const told& before, const job_row& x) {
  const bool failed_before = before.failed.contains(x.id);
  if (x.status.state == job_state::completed)
    return before.said_in == 0 || failed_before || was_open(before, x.id);
  if (x.status.state == job_state::failed)
    return !failed_before;
  return false;
}

std::vector<const job_row*> news_of(const report& x, job_state state) {
  std::vector<const job_row*> out;
  for (const auto& job : x.jobs)
    if (job.status.state == state && is_news(x.before, job))
      out.push_back(&job);
  return out;
}

json described(const job_row& x) {
  json ids = json::array();
  for (std::size_t at = 0; at < x.facts.local_ids.size();) {
    const auto end =
      std::min(x.facts.local_ids.find(';', at), x.facts.local_ids.size());
    ids.push_back(x.facts.local_ids.substr(at, end - at));
    at = end + 1;
  }
  json out{{"uuid", x.info.uuid},
           {"user", x.user},
           {"collection", x.info.collection},
           {"type", word(x.info.type)},
           {"file_name", x.info.file_name},
           {"state", word(x.status.state)},
           {"retry_count", x.status.retry_count},
           {"priority", x.priority},
           {"space_needed", x.facts.space_needed},
           {"identifier", x.facts.identifier},
           {"local_id", std::move(ids)},
           {"title", x.facts.title},
           {"creator", x.facts.creator},
           {"date", x.facts.date},
           {"changed_at", format_utc(x.status.changed_us)}};
  if (x.status.state == job_state::failed)
    out["message"] = x.status.note;
  return out;
}

std::string dumped(const json& x) {
  return indented_json_text(x);
}

void attach(mail& to, const char* name,
            const std::vector<const job_row*>& jobs) {
  if (jobs.empty())
    return;
  json list = json::array();
  for (const auto* x : jobs) {
    if (list.size() == listed_jobs_max)
      break;
    list.push_back(described(*x));
  }
  to.attachments.push_back({name, "application/json", dumped(list)});
}

std::string table_of(const std::vector<const job_row*>& completed,
                     const std::vector<const job_row*>& failed) {
  std::string out;
  append_csv_row(out, {"job", "file_name", "state", "identifier", "local_id",
                       "title", "creator", "date", "message"});
  std::size_t rows = 0;
  for (const auto* list : {&completed, &failed})
    for (const auto* x : *list) {
      if (++rows > listed_jobs_max)
        return out;
      append_csv_row(out,
                     {x->info.uuid, x->info.file_name,
                      std::string{word(x->status.state)}, x->facts.identifier,
                      x->facts.local_ids, x->facts.title, x->facts.creator,
                      x->facts.date, x->status.note});
    }
  return out;
}

/// One line of a text: what comes from outside begins no other.
std::string line(const char* name, const std::string& value) {
  std::string out = std::string{name} + ": ";
  for (const unsigned char c : beginning_of(value, 2'000))
    out += c < 0x20 || c == 0x7f ? ' ' : static_cast<char>(c);
  return out + "\n";
}

std::string subject_of(bool ok, const char* what, const std::string& uuid) {
  return std::string{"Ingest: "} + (ok ? "OK" : "FAIL") + " -- " + what + ": "
         + uuid + ";";
}

std::string head_of(const batch_document& batch, const batch_info& info) {
  auto out =
    line("Submission ID", batch.uuid) + line("Collection", batch.collection)
    + line("User agent", info.submitter.empty() ? batch.user : info.submitter)
    + line("Submission date", batch.submitted);
  if (!batch.what.title.empty())
    out += line("Title", batch.what.title);
  if (!info.file_name.empty())
    out += line("File", info.file_name);
  return out;
}

json described(const batch_document& batch, const batch_info& info) {
  return {{"uuid", batch.uuid},
          {"user", batch.user},
          {"collection", batch.collection},
          {"submitter", info.submitter},
          {"file_name", info.file_name},
          {"title", batch.what.title},
          {"submitted_at", batch.submitted}};
}

std::string still_open(const report& x) {
  std::string out;
  std::size_t count = 0;
  for (const auto& job : x.jobs)
    if (is_open(job) && count++ < 100)
      out += line("Still open", job.info.uuid + " ("
                                  + std::string{word(job.status.state)} + ") "
                                  + job.info.file_name);
  if (count > 100)
    out += "... and " + std::to_string(count - 100) + " more\n";
  return out;
}

} // namespace

json written(const told& x) {
  json failed = json::array();
  for (const auto& [id, retries] : x.failed)
    failed.push_back(json::array({id, retries}));
  return {{"number", x.number},
          {"said_in", x.said_in},
          {"ok", x.ok},
          {"failed", std::move(failed)},
          {"open", x.open}};
}

told read_told(const json& from) {
  try {
    told out;
    from.at("number").get_to(out.number);
    out.said_in = from.value("said_in", out.number);
    from.at("ok").get_to(out.ok);
    for (const auto& one : from.at("failed"))
      out.failed[one.at(0).get<item_id>()] = one.at(1).get<std::uint32_t>();
    from.at("open").get_to(out.open);
    std::sort(out.open.begin(), out.open.end());
    return out;
  } catch (const std::exception&) {
    return {};
  }
}

bool has_news(const report& x) {
  return x.before.said_in == 0 || x.before.ok != ended_well(x)
         || std::any_of(x.jobs.begin(), x.jobs.end(), [&](const auto& job) {
              return is_news(x.before, job);
            });
}

told told_after(const report& x, bool sent) {
  if (!sent || !has_news(x)) {
    auto out = x.before;
    out.number = x.number;
    return out;
  }
  told out{.number = x.number,
           .said_in = x.number,
           .ok = ended_well(x),
           .failed = {},
           .open = {}};
  for (const auto& job : x.jobs)
    if (job.status.state == job_state::failed)
      out.failed[job.id] = job.status.retry_count;
    else if (is_open(job))
      out.open.push_back(job.id);
  std::sort(out.open.begin(), out.open.end());
  return out;
}

std::string report_id(const std::string& batch_uuid, std::uint32_t number) {
  return "report-" + batch_uuid + "-" + std::to_string(number);
}

mail report_mail(const report& x, const batch_document& batch) {
  const auto completed = news_of(x, job_state::completed);
  const auto failed = news_of(x, job_state::failed);
  const auto count = [&x](auto is) {
    return std::to_string(std::count_if(x.jobs.begin(), x.jobs.end(), is));
  };
  const auto in = [](job_state state) {
    return [state](const auto& job) { return job.status.state == state; };
  };
  const bool ok = ended_well(x);
  mail out;
  out.id = report_id(batch.uuid, x.number);
  out.subject = subject_of(ok, "Submission Processed", batch.uuid);
  out.text =
    head_of(batch, x.batch.info) + line("Completion date", format_utc(x.now))
    + line("Job(s)", count(is_open) + " pending, "
                       + count(in(job_state::completed)) + " completed, "
                       + count(in(job_state::failed)) + " failed")
    + line("Status", ok ? "Completed" : "Failed");
  for (const auto& job : x.jobs)
    if (job.status.state == job_state::failed) {
      out.text += line("Status Message", job.status.note);
      break;
    }
  if (x.before.said_in > 0)
    out.text += line("Since the last report",
                     std::to_string(completed.size()) + " completed, "
                       + std::to_string(failed.size()) + " failed");
  out.text += still_open(x) + line("Report ID", out.id);
  attach(out, "completed.json", completed);
  attach(out, "failed.json", failed);
  if (!out.attachments.empty())
    out.attachments.push_back(
      {"jobs.csv", "text/csv", table_of(completed, failed)});
  return out;
}

mail split_failure_mail(const batch_row& row, const batch_document& batch,
                        std::uint32_t number) {
  mail out;
  out.id = report_id(batch.uuid, number);
  out.subject = subject_of(false, "Submission Queue Failed", batch.uuid);
  out.text = head_of(batch, row.info) + line("Status", "Failed")
             + line("Status Message", row.status.note)
             + line("Report ID", out.id);
  auto state = described(batch, row.info);
  state["state"] = "failed";
  state["message"] = row.status.note;
  out.attachments = {{"batch.json", "application/json", dumped(state)}};
  return out;
}

mail queued_mail(const batch_document& batch, const batch_info& info) {
  mail out;
  out.id = "queued-" + batch.uuid;
  out.subject = subject_of(true, "Submission Queued", batch.uuid);
  out.text = head_of(batch, info) + line("Status", "Queued");
  auto state = described(batch, info);
  state["state"] = "queued";
  out.attachments = {{"batch.json", "application/json", dumped(state)}};
  return out;
}

std::vector<std::string> recipients(const batch_document& batch,
                                    const collection_settings* collection) {
  if (!batch.notification.empty())
    return {batch.notification};
  return collection == nullptr ? std::vector<std::string>{}
                               : collection->notify;
}

} // namespace depositd::merritt
