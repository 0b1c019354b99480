#pragma once

// The core with a log of records in memory on both sides: what is written to
// the ingress topic comes out of the egress topic or the dead letters.

#include "actors/records/intake.hpp"
#include "actors/records/publisher.hpp"
#include "messages/values/operations.hpp"
#include "tests/support/engine_fixture.hpp"
#include "tests/support/memory_record_log.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace depositd::testing {

/// "user queue id payload", or "poison".
inline caf::expected<record_content> read_plain(const source_record& x) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at != std::string::npos;) {
    const auto end = words.size() == 3 ? std::string::npos
                                       : x.value.find(' ', at);
    words.push_back(x.value.substr(at, end - at));
    at = end == std::string::npos ? end : end + 1;
  }
  if (words.size() != 4)
    return caf::make_error(ec::malformed, std::string{"not four words"});
  ingest_deposit out;
  out.user = words[0];
  out.queue = words[1];
  out.submission.file_name = words[2];
  out.submission.source = source_kafka.name;
  out.submission.size = words[3].size();
  out.body = words[3];
  return out;
}

inline record_format plain_format() {
  return {read_plain,
          [](const outcome_event& x) {
            return outgoing_record{
              "out",
              x.user,
              x.submission.file_name
                + (x.how == ending::done ? " done" : " not done"),
              true,
              {{"event-id", x.event_id}}};
          },
          [](const dead_letter& x) {
            outgoing_record out{
              "dead", x.what.key, x.what.value, true,
              {{"event-id", x.event_id}, {"reason", x.what.reason}}};
            out.headers.insert(out.headers.end(), x.what.headers.begin(),
                               x.what.headers.end());
            return out;
          }};
}

class record_log_fixture : public engine_fixture {
protected:
  record_log_fixture() {
    create_memory_topic(*topics, "in", 2);
    create_memory_topic(*topics, "out", 1);
    create_memory_topic(*topics, "dead", 1);
  }

  /// Core, intake and publisher, as a fresh process would have them.
  void start_all() {
    start();
    records::intake_options reading;
    reading.source = open_source();
    reading.identity = open_identity();
    reading.topic = "in";
    reading.format = plain_format();
    reading.own = core;
    reading.deposits = core;
    reading.journal = writer;
    reading.blobs = blobs.get();
    reading.limits.wait = std::chrono::milliseconds{0};
    reading.limits.records_max = records_max;
    reading.bytes_in_flight_max = bytes_max;
    reading.idle_pause = std::chrono::milliseconds{50};
    reader_of_topic = spawn(records::intake, reading);
    records::publisher_options writing;
    writing.store = store.get();
    writing.sink = open_memory_sink(topics);
    writing.format = plain_format();
    writing.own = core;
    writing.reads = read_model;
    writing.journal = writer;
    writer_of_topics = spawn(records::publisher, writing);
  }

  /// Of the ingress topic.
  virtual std::shared_ptr<record_source> open_source() {
    return open_memory_source(topics, "in");
  }

  virtual std::shared_ptr<log_identity> open_identity() {
    return open_memory_identity(topics, "in");
  }

  void crash_all() {
    caf::anon_send_exit(reader_of_topic, caf::exit_reason::kill);
    caf::anon_send_exit(writer_of_topics, caf::exit_reason::kill);
    crash();
  }

  void write(const std::string& value, std::int32_t partition = 0,
             std::vector<record_header> headers = {}) {
    source_record x;
    x.key = "key";
    x.value = value;
    x.has_value = true;
    x.headers = std::move(headers);
    append_memory_record(*topics, "in", partition, x);
  }

  void pass(std::chrono::milliseconds t = std::chrono::milliseconds{200}) {
    advance(t);
    advance(t);
  }

  static std::string line_of(int i) {
    return std::string{"u"}
      .append(std::to_string(i % 9))
      .append(" metadata f")
      .append(std::to_string(i))
      .append(" x");
  }

  /// Ends everything that waits.
  void process_all() {
    const auto sp = attach_to("metadata");
    want(sp, 1000);
    for (std::size_t i = 0; i < sp.got->items.size(); ++i)
      end(sp, sp.got->items[i],
          sp.got->items[i].user == "bad" ? verdict::failed : verdict::done);
    pass();
    caf::anon_send_exit(sp.actor, caf::exit_reason::kill);
    settle();
  }

  /// Values by event id; a repetition must say the same.
  std::map<std::string, std::string> read_out(const std::string& topic) {
    std::map<std::string, std::string> out;
    for (const auto& x : memory_records(*topics, topic)) {
      const auto id
        = std::find_if(x.headers.begin(), x.headers.end(),
                       [](const auto& h) { return h.name == "event-id"; });
      EXPECT_NE(id, x.headers.end());
      const auto [at, fresh] = out.emplace(id->value, x.value);
      EXPECT_EQ(at->second, x.value) << "event " << id->value;
    }
    return out;
  }

  static std::multiset<std::string>
  values(const std::map<std::string, std::string>& from) {
    std::multiset<std::string> out;
    for (const auto& [id, value] : from)
      out.insert(value);
    return out;
  }

  std::shared_ptr<memory_record_log> topics = make_memory_record_log();
  std::size_t records_max = 100;
  std::size_t bytes_max = 1 << 20;
  intake_actor reader_of_topic;
  publisher_actor writer_of_topics;
};

} // namespace depositd::testing
