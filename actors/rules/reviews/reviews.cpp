#include "actors/rules/reviews/reviews.hpp"

#include "messages/values/cut_text.hpp"
#include "messages/values/jobs.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace depositd::rules {

namespace {

constexpr std::size_t reason_bytes_max = 200;
constexpr std::size_t note_bytes_max = 1'000;

/// Numbers, paths, addresses and what is quoted differ from job to job.
bool differs(std::string_view part) {
  return part.find_first_of("0123456789/\"'@") != part.npos;
}

std::string without_particulars(std::string_view note) {
  note = beginning_of(note, reason_bytes_max);
  std::string out;
  while (!note.empty()) {
    const auto end = std::min(note.find_first_of(" \n\t"), note.size());
    const auto part = note.substr(0, end);
    note.remove_prefix(std::min(end + 1, note.size()));
    if (part.empty())
      continue;
    out += out.empty() ? "" : " ";
    out += differs(part) ? "#" : part;
  }
  return out;
}

std::string id_of(const review_cause& x, micros period) {
  const auto text = x.pipeline + '\n' + x.stage + '\n' + x.reason;
  return "review-" + std::to_string(XXH3_64bits(text.data(), text.size())) + "-"
         + std::to_string(period);
}

} // namespace

review_cause cause_of(const job_row& x) {
  const auto dot = x.queue.rfind('.');
  const auto stage = dot == x.queue.npos ? "" : x.queue.substr(dot + 1);
  return {x.info.pipeline, stage, without_particulars(x.status.note)};
}

bool is_too_old(const job_row& x, micros now, micros age_us) {
  switch (x.status.state) {
    case job_state::none:
    case job_state::held:
    case job_state::completed:
    case job_state::failed:
    case job_state::deleted:
      return false;
    default:
      return age_us > 0 && x.status.changed_us != never
             && now - x.status.changed_us >= age_us;
  }
}

reviews::reviews(micros interval_us, micros since_us)
  : interval_us_(interval_us), since_us_(since_us) {
  // nop
}

void reviews::see(const job_row& x) {
  if (!x.status.needs_review || x.status.changed_us < since_us_)
    return;
  auto& change = seen_[x.id];
  if (change == x.status.changed_us)
    return;
  change = x.status.changed_us;
  count(cause_of(x), x, x.status.note);
}

void reviews::see_old(const std::vector<job_row>& all) {
  std::map<item_id, micros> now;
  for (const auto& x : all) {
    now[x.id] = x.status.changed_us;
    const auto before = old_.find(x.id);
    if (before != old_.end() && before->second == x.status.changed_us)
      continue;
    auto cause = cause_of(x);
    cause.reason = too_old;
    count(std::move(cause), x,
          "job " + std::to_string(x.id) + " of " + x.user + " is "
            + word(x.status.state)
            + (x.status.note.empty() ? "" : ": " + x.status.note));
  }
  old_ = std::move(now);
}

void reviews::count(review_cause cause, const job_row& x,
                    const std::string& note) {
  // More causes than anybody reads are one.
  if (!causes_.contains(cause) && causes_.size() >= review_causes_max)
    cause = {"", "", "other reasons"};
  auto& at = causes_[cause];
  if (at.count++ == 0) {
    at.first.clear();
    at.note = beginning_of(note, note_bytes_max);
  }
  if (at.first.size() < review_ids_max)
    at.first.push_back(x.id);
}

void reviews::seen_before(micros at) {
  since_us_ = std::max(since_us_, at);
  std::erase_if(seen_, [&](const auto& one) { return one.second < since_us_; });
}

std::vector<review_news> reviews::due(micros now) const {
  std::vector<review_news> out;
  for (const auto& [cause, x] : causes_)
    if (x.count > 0 && (x.told_us == never || now - x.told_us >= interval_us_))
      out.push_back(
        {cause, x.count, x.first, x.note, id_of(cause, now / interval_us_)});
  return out;
}

void reviews::told(const review_cause& x, micros now) {
  if (const auto at = causes_.find(x); at != causes_.end())
    at->second = {0, {}, {}, now};
  std::erase_if(causes_, [&](const auto& one) {
    return one.second.count == 0 && now - one.second.told_us >= interval_us_;
  });
}

} // namespace depositd::rules
