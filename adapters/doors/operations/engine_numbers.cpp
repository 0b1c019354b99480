#include "adapters/doors/operations/engine_numbers.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>

namespace depositd {

namespace {

/// Seconds since 1970 at which the machine was started.
double boot_time() {
  std::ifstream in{"/proc/stat"};
  std::string word;
  double out = 0;
  while (in >> word)
    if (word == "btime" && in >> out)
      break;
  return out;
}

std::uint64_t count_open_files() {
  std::error_code wrong;
  std::uint64_t out = 0;
  for (std::filesystem::directory_iterator at{"/proc/self/fd", wrong}, end;
       !wrong && at != end; at.increment(wrong))
    ++out;
  return out;
}

/// What has come since the last look, when it may have begun anew.
queue_counters risen(const queue_counters& from, const queue_counters& to) {
  for (std::size_t i = 0; i < queue_counts; ++i)
    if (to.n[i] < from.n[i])
      return to;
  queue_counters out;
  for (std::size_t i = 0; i < queue_counts; ++i)
    out.n[i] = to.n[i] - from.n[i];
  return out;
}

} // namespace

process_numbers read_process_numbers() {
  process_numbers out;
  std::ifstream in{"/proc/self/stat"};
  std::string line;
  std::getline(in, line);
  // The name may have spaces and brackets; the fields begin behind it.
  const auto end = line.rfind(')');
  if (end == std::string::npos)
    return out;
  std::istringstream rest{line.substr(end + 1)};
  const std::vector<std::string> fields{
    std::istream_iterator<std::string>{rest}, {}};
  // By proc(5), of which the third field is the first here.
  const auto field = [&](std::size_t number) {
    return number - 3 < fields.size() ? std::stod(fields[number - 3]) : 0.0;
  };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  out.cpu_seconds = (field(14) + field(15)) / ticks;
  out.threads = static_cast<std::uint64_t>(field(20));
  out.started_s = boot_time() + field(22) / ticks;
  out.virtual_bytes = static_cast<std::uint64_t>(field(23));
  out.resident_bytes = static_cast<std::uint64_t>(field(24))
                       * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  out.open_files = count_open_files();
  return out;
}

void read_tallies(engine_numbers& to) {
  for (std::size_t i = 0; i < to.seldom.size(); ++i)
    to.seldom[i] = tallies(static_cast<tally_of>(i));
  to.groups = group_sizes_now();
  std::vector<shard_number> here;
  for (const auto& x : to.shards)
    here.push_back(x.shard);
  to.work = count_work(here);
}

const std::string& lasting_counters::label_of(const std::string& queue) const {
  static const std::string rest = others;
  return queues_.contains(queue) ? queue : rest;
}

lasting_counters::entry& lasting_counters::entry_of(const queue_report& x) {
  const auto known = queues_.find(x.name);
  if (known != queues_.end())
    return known->second;
  // One name is kept for the others.
  auto& out =
    queues_.size() + 1 < queues_named_max ? queues_[x.name] : queues_[others];
  out.deposits = x.settings.kind == queue_kind::deposit
                 || x.settings.kind == queue_kind::message;
  return out;
}

void lasting_counters::take(const shard_measured& x, std::uint64_t question) {
  std::map<std::string, queue_counters> now;
  auto& last = last_[x.shard];
  if (question <= last.question)
    return;
  last.question = question;
  if (const std::pair of{x.epoch, x.generation}; last.of != of)
    last = {question, of, {}};
  for (const auto& ring : x.rings) {
    const auto& name = ring.report.name;
    const auto before = last.queues.find(name);
    entry_of(ring.report)
      .counters.add(before == last.queues.end()
                      ? ring.counters
                      : risen(before->second, ring.counters));
    now.emplace(name, ring.counters);
  }
  last.queues = std::move(now);
}

queue_counters lasting_counters::sum() const {
  queue_counters out;
  for (const auto& [name, x] : queues_)
    out.add(x.counters);
  return out;
}

} // namespace depositd
