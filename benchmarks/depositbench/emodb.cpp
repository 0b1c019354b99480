#include "benchmarks/depositbench/emodb.hpp"

#include "benchmarks/depositbench/feed.hpp"

#include <algorithm>

namespace depositd::bench {

namespace {

constexpr std::size_t batch_max = 1000;
constexpr const char* json_type = "Content-Type: application/json\r\n";

std::string key_header(const sender& x) {
  return x.secret.empty() ? "" : "X-BV-API-Key: " + x.secret + "\r\n";
}

std::string target(const std::string& queue, const std::string& what) {
  return "/queue/1/" + queue + what;
}

// -- producer -----------------------------------------------------------------

/// What the connections of one producer share.
struct message_feed : producer_feed {
  message_feed(const producer_plan& x, const std::vector<sender>& senders,
               std::shared_ptr<progress> reports)
    : producer_feed(x, std::move(reports),
                    {std::min<std::size_t>(std::max(x.users, 1u),
                                           senders.size()),
                     x.body_bytes}) {
    for (const auto& key : senders)
      headers.push_back(key_header(key) + json_type);
    source.append_body(body, 0);
  }

  std::vector<std::string> headers; ///< by sender
  std::string body; ///< of the size that all have
};

class send_conversation : public reporting_conversation {
public:
  explicit send_conversation(std::shared_ptr<message_feed> from)
    : reporting_conversation(from->to), from_(std::move(from)) {
    // nop
  }

  bool ask(std::string& request) override {
    count_ = from_->ready(batch_max);
    if (count_ == 0)
      return false;
    asked_us_ = steady_us();
    const auto& headers = from_->headers[from_->source.draw_user()];
    const bool single = count_ == 1;
    // Brackets and the commas between bodies.
    const auto bytes = count_ * from_->body.size() + (single ? 0 : count_ + 1);
    request += request_head(
      "POST", target(from_->plan.queue, single ? "/send" : "/sendbatch"),
      headers, bytes);
    request.reserve(request.size() + bytes);
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (!single)
        request += i == 0 ? '[' : ',';
      from_->source.append_body(request,
                                from_->mark(asked_us_, from_->sent + i));
    }
    if (!single)
      request += ']';
    from_->sent += count_;
    to_->sent += count_;
    return true;
  }

  void answered(int status, std::string_view body) override {
    if (!good("send", status, body))
      return;
    from_->latencies.push_back(
      static_cast<std::uint32_t>(steady_us() - asked_us_));
    to_->enqueued += count_;
  }

private:
  std::shared_ptr<message_feed> from_;
  std::uint64_t count_ = 0;
  std::uint64_t asked_us_ = 0;
};

// -- worker -------------------------------------------------------------------

/// Polls, acknowledges what it got, polls again; or does both in one request.
class work_conversation : public reporting_conversation {
public:
  work_conversation(std::shared_ptr<progress> to, const std::string& queue,
                    const worker_plan& plan, const sender& key)
    : reporting_conversation(std::move(to)),
      plan_(plan),
      poll_(request_head("GET",
                         target(queue, "/poll?ttl=60&limit=")
                           + std::to_string(plan.credit),
                         key_header(key), 0)),
      ack_target_(target(queue, plan.ack_and_poll
                                  ? "/ackpoll?ttl=60&limit="
                                      + std::to_string(plan.credit)
                                  : "/ack")),
      ack_headers_(key_header(key) + json_type) {
    // nop
  }

  ~work_conversation() override {
    to_->add_latencies(to_->handed_us, latencies_);
  }

  bool ask(std::string& request) override {
    if (to_->failed || std::exchange(rests_, false))
      return false;
    if (count_ > 0) {
      request = request_head("POST", ack_target_, ack_headers_,
                             ids_.size() + 2);
      request += '[';
      request += ids_;
      request += ']';
    } else {
      request = poll_;
    }
    return true;
  }

  void answered(int status, std::string_view body) override {
    const auto acknowledged = std::exchange(count_, 0);
    const bool polled = acknowledged == 0 || plan_.ack_and_poll;
    if (!good(polled ? "poll" : "ack", status, body))
      return;
    to_->settled += acknowledged;
    ids_.clear();
    if (!polled)
      return;
    take_items(body);
    rests_ = count_ == 0; // nothing there: ask at the next tick
    to_->deliver += count_;
  }

private:
  /// Elements {"id":"...","payload":...}. A payload of the last one's size is
  /// jumped over.
  void take_items(std::string_view body) {
    constexpr std::string_view id = "{\"id\":\"";
    constexpr std::string_view payload = "\"payload\":";
    const auto now = steady_us();
    for (auto at = body.find(id); at != body.npos;) {
      const auto begin = at + id.size();
      const auto end = body.find('"', begin);
      const auto found = body.find(payload, end);
      if (found == body.npos) {
        to_->fail("poll: " + std::string{body.substr(at, 200)});
        return;
      }
      const auto value = found + payload.size();
      ids_ += ids_.empty() ? "\"" : ",\"";
      ids_ += body.substr(begin, end - begin);
      ids_ += '"';
      ++count_;
      note(body.substr(value), now);
      const auto guess = value + payload_bytes_;
      const bool fits = guess + 1 < body.size() && body[guess] == '}'
                        && body[guess + 1] == ',';
      at = body.find(id, fits ? guess : value);
      if (at != body.npos)
        payload_bytes_ = at - value - 2;
    }
  }

  void note(std::string_view payload, std::uint64_t now) {
    if (!plan_.note_latency && !plan_.note_order)
      return;
    const auto mark = mark_of(payload);
    if (plan_.note_latency)
      latencies_.push_back(static_cast<std::uint32_t>(now - mark));
    if (plan_.note_order) {
      std::lock_guard guard{to_->mutex};
      to_->order.push_back(mark);
    }
  }

  worker_plan plan_;
  std::string poll_;
  std::string ack_target_;
  std::string ack_headers_;
  std::string ids_; ///< as the body of an ack, without brackets
  std::uint64_t count_ = 0;
  bool rests_ = false;
  std::size_t payload_bytes_ = 0;
  std::vector<std::uint32_t> latencies_;
};

} // namespace

emodb_client::emodb_client(const std::string& address,
                           std::vector<sender> keys)
  : http_client(address, std::move(keys)) {
  // nop
}

void emodb_client::produce(const producer_plan& plan,
                           std::shared_ptr<progress> to) {
  const auto from =
    std::make_shared<message_feed>(plan, senders(), std::move(to));
  // What is due leaves on whatever connection is free.
  const auto connections = plan.rate > 0 ? 16 : plan.window;
  for (std::size_t i = 0; i < connections; ++i)
    loop().add(std::make_unique<send_conversation>(from));
}

void emodb_client::work_on(const std::string& queue, const worker_plan& plan,
                           std::shared_ptr<progress> to) {
  loop().add(std::make_unique<work_conversation>(std::move(to), queue, plan,
                                                 senders().front()));
}

void emodb_client::enqueue_now(const std::string& queue,
                               std::vector<new_item> items) {
  std::vector<std::string> requests;
  for (std::size_t from = 0; from < items.size();) {
    // One request holds items of one key.
    auto to = from;
    std::string body;
    for (; to < items.size() && to - from < batch_max
           && items[to].user == items[from].user;
         ++to)
      body += (to == from ? '[' : ',') + items[to].body;
    body += ']';
    requests.push_back(
      request_head("POST", target(queue, "/sendbatch"),
                   key_header(senders()[index_of(items[from].user)])
                     + json_type,
                   body.size())
      + body);
    from = to;
  }
  send_all("sendbatch", std::move(requests));
}

void emodb_client::purge(const std::string& queue) {
  send_all("purge", {request_head("DELETE", target(queue, ""),
                                  key_header(senders().front()), 0)});
}

} // namespace depositd::bench
