#pragma once

// A queue as EmoDB's door shows it, which does what it is told.

#include "tests/adapters/sources/web/web_sources.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace depositd::sources {

class fake_queue {
public:
  fake_queue() = default;

  ~fake_queue() {
    held_up.open();
  }

  std::string url() const {
    return server_.url("/queue/1/src");
  }

  /// `payload`: JSON, as it goes out.
  void add(const std::string& id, const std::string& payload) {
    const std::lock_guard lock{guard_};
    messages_.push_back({id, payload});
  }

  void end_claims() {
    const std::lock_guard lock{guard_};
    for (auto& x : messages_)
      x.claimed = false;
  }

  /// Answers to everything with this; empty: as a queue does.
  void refuse_with(std::string answer) {
    const std::lock_guard lock{guard_};
    refusal_ = std::move(answer);
  }

  /// Ids of what was not acknowledged.
  std::set<std::string> left() const {
    const std::lock_guard lock{guard_};
    std::set<std::string> out;
    for (const auto& x : messages_)
      out.insert(x.id);
    return out;
  }

  std::vector<std::string> requests() const {
    return server_.requests();
  }

  /// Their first lines behind the address of the queue.
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const auto& x : requests()) {
      const auto line = line_of_request(x);
      out.push_back(line.substr(line.find("/src") + 4));
    }
    return out;
  }

  /// Whoever asks while it is closed gets no answer, and nothing happens.
  gate held_up;

private:
  struct message {
    std::string id;
    std::string payload;
    bool claimed = false;
  };

  std::string answer(const std::string& request) {
    if (held_up.pass())
      return {};
    const std::lock_guard lock{guard_};
    if (!refusal_.empty())
      return refusal_;
    const auto line = line_of_request(request);
    const auto limit = line.find("limit=");
    if (line.starts_with("GET /queue/1/src/poll?ttl=") && limit != line.npos)
      return scripted_server::ok(claim(std::stoul(line.substr(limit + 6))));
    if (line == "POST /queue/1/src/ack"
        && scripted_server::header(request, "Content-Type")
             == "application/json") {
      acknowledge(nlohmann::json::parse(body_of_request(request))
                    .get<std::set<std::string>>());
      return scripted_server::ok(R"({"success":true})");
    }
    return scripted_server::response("404 Not Found", "", "nothing here");
  }

  std::string claim(std::uint64_t limit) {
    std::string out = "[";
    for (auto& x : messages_) {
      if (x.claimed || limit == 0)
        continue;
      --limit;
      x.claimed = true;
      out += (out.size() > 1 ? ",{\"id\":\"" : "{\"id\":\"") + x.id
             + "\",\"payload\":" + x.payload + "}";
    }
    return out + "]";
  }

  void acknowledge(const std::set<std::string>& ids) {
    std::erase_if(messages_,
                  [&](const message& x) { return ids.contains(x.id); });
  }

  mutable std::mutex guard_;
  std::vector<message> messages_;
  std::string refusal_;
  scripted_server server_{
    [this](const std::string& request) { return answer(request); }};
};

} // namespace depositd::sources
