#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace depositd::testing {

engine_process& shared_engine() {
  static const auto engine = [] {
    auto out = std::make_unique<engine_process>(engine_process::store::memory);
    out->start();
    out->add_key("tester", key_of_all, all_rights);
    return out;
  }();
  return *engine;
}

std::vector<std::string> numbered(std::size_t count, std::size_t from) {
  std::vector<std::string> out;
  for (auto i = from; i < from + count; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, R"({"n":"%05zu"})", i);
    out.emplace_back(text);
  }
  return out;
}

std::string array_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& x : texts)
    out += (out.size() > 1 ? "," : "") + x;
  return out + "]";
}

std::string ids_of(const std::vector<message>& messages) {
  json out = json::array();
  for (const auto& x : messages)
    out.push_back(x.id);
  return out.dump();
}

std::vector<std::string> payloads_of(const std::vector<message>& messages) {
  std::vector<std::string> out;
  for (const auto& x : messages)
    out.push_back(x.payload);
  std::sort(out.begin(), out.end());
  return out;
}

void outlive(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time); // sleeps: a claim has to outlive it
}

std::string name_of(const ::testing::TestParamInfo<flavour>& x) {
  switch (x.param) {
    case flavour::queue:
      return "queue";
    case flavour::dedupq:
      return "dedupq";
    case flavour::dedupq_sent_twice:
      return "dedupq_sent_twice";
  }
  return {};
}

std::string emodb_base::fresh() {
  static int last = 0;
  return "q" + std::to_string(++last);
}

// -- emodb_client -------------------------------------------------------------

emodb_client::emodb_client(std::uint16_t port, std::string base,
                           std::string key, long limit_ms)
  : client_(port, limit_ms), base_(std::move(base)), key_(std::move(key)) {
  // nop
}

http_answer emodb_client::call(const std::string& method,
                               const std::string& path,
                               std::vector<std::string> headers,
                               const std::string& body) {
  if (!key_.empty())
    headers.push_back("X-BV-API-Key: " + key_);
  return client_.send({method, base_ + "/" + path, std::move(headers), body});
}

http_answer emodb_client::post(const std::string& path,
                               const std::string& body) {
  return call("POST", path, {"Content-Type: application/json"}, body);
}

http_answer emodb_client::post(const std::string& path) {
  return call("POST", path, {"Content-Type:"});
}

http_answer emodb_client::get(const std::string& path) {
  return call("GET", path);
}

http_answer emodb_client::remove(const std::string& path) {
  return call("DELETE", path);
}

void emodb_client::send(const std::string& queue, const std::string& payload) {
  EXPECT_TRUE(is_ok(post(queue + "/send", payload))) << payload.substr(0, 200);
}

void emodb_client::send_all(const std::string& queue,
                            const std::vector<std::string>& payloads) {
  EXPECT_TRUE(is_ok(post(queue + "/sendbatch", array_of(payloads))));
}

std::vector<message> emodb_client::messages_in(const http_answer& x) {
  EXPECT_TRUE(is_json(x));
  const auto found = x.document();
  EXPECT_TRUE(found.is_array()) << x;
  std::vector<message> out;
  if (!found.is_array())
    return out;
  for (const auto& one : found) {
    const bool whole = one.is_object() && one.size() == 2
                       && one.contains("payload") && one.contains("id")
                       && one["id"].is_string();
    EXPECT_TRUE(whole) << one.dump();
    if (whole)
      out.push_back({one["id"].get<std::string>(), one["payload"].dump()});
  }
  return out;
}

std::vector<message> emodb_client::poll(const std::string& queue,
                                        const std::string& query) {
  return messages_in(get(queue + "/poll?" + query));
}

std::vector<message> emodb_client::peek(const std::string& queue, int limit) {
  return messages_in(get(queue + "/peek?limit=" + std::to_string(limit)));
}

void emodb_client::ack(const std::string& queue,
                       const std::vector<message>& messages) {
  EXPECT_TRUE(is_ok(post(queue + "/ack", ids_of(messages))));
}

void emodb_client::renew(const std::string& queue, int ttl,
                         const std::vector<message>& messages) {
  EXPECT_TRUE(is_ok(
    post(queue + "/renew?ttl=" + std::to_string(ttl), ids_of(messages))));
}

std::int64_t emodb_client::number_in(const http_answer& x) {
  EXPECT_TRUE(is_json(x));
  const auto found = x.document();
  EXPECT_TRUE(found.is_number_integer()) << x;
  return found.is_number_integer() ? found.get<std::int64_t>() : -1;
}

std::int64_t emodb_client::size(const std::string& queue) {
  return number_in(get(queue + "/size"));
}

std::int64_t emodb_client::claims(const std::string& queue) {
  return number_in(get(queue + "/claimcount"));
}

std::string emodb_client::move(const std::string& from, const std::string& to) {
  const auto x = post("_move?from=" + from + "&to=" + to);
  EXPECT_TRUE(is_json(x));
  const auto found = x.document();
  EXPECT_TRUE(found.is_object() && found.size() == 1
              && found.value("id", "") != "")
    << x;
  return found.is_object() ? found.value("id", "") : "";
}

std::string emodb_client::status_of(const std::string& reference) {
  const auto x = get("_move/" + reference);
  EXPECT_TRUE(is_json(x));
  const auto found = x.document();
  return found.is_object() ? found.value("status", "") : "";
}

void emodb_client::await_move(const std::string& reference) {
  std::string status;
  const bool ended = wait_for([&] {
    status = status_of(reference);
    return status != "IN_PROGRESS";
  });
  EXPECT_TRUE(ended) << "the move does not end";
  EXPECT_EQ(status, "COMPLETE");
}

} // namespace depositd::testing
