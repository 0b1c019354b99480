#include "benchmarks/depositbench/nsq.hpp"

#include "benchmarks/depositbench/feed.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace depositd::bench {

using namespace std::chrono_literals;

namespace {

constexpr const char* channel = "bench";

/// PUBs that an open loop sends on one connection without waiting.
constexpr std::uint64_t pipelined_max = 16;

constexpr auto quiet_enough = 500ms;

// -- wire ---------------------------------------------------------------------

void append_size(std::string& to, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    to += static_cast<char>((value >> shift) & 0xff);
}

std::uint32_t read_size(std::string_view from) {
  std::uint32_t out = 0;
  for (const char c : from.substr(0, 4))
    out = (out << 8) | static_cast<unsigned char>(c);
  return out;
}

enum class frame_kind : std::uint32_t { response, error, message };

struct frame {
  frame_kind kind = frame_kind::response;
  std::string_view data;
};

/// The frame at `from`, which moves behind it; false if it is not whole yet.
bool next_frame(std::string_view& from, frame& out) {
  if (from.size() < 8)
    return false;
  const auto size = read_size(from);
  if (size < 4 || from.size() - 4 < size)
    return false;
  out.kind = static_cast<frame_kind>(read_size(from.substr(4)));
  out.data = from.substr(8, size - 4);
  from.remove_prefix(4 + size);
  return true;
}

void append_sized(std::string& to, std::string_view body) {
  append_size(to, body.size());
  to += body;
}

/// What a message's frame has before its body: time, attempts, id.
constexpr std::size_t id_at = 10;
constexpr std::size_t id_bytes = 16;

// -- conversations ------------------------------------------------------------

/// Says who it is, answers heartbeats and reports what went wrong.
class nsq_conversation : public conversation {
public:
  nsq_conversation(std::shared_ptr<progress> to, const sender& who,
                   bool buffered)
    : to_(std::move(to)), secret_(who.secret), buffered_(buffered) {
    // nop
  }

  asked next(std::string& request) final {
    if (to_->failed)
      return asked::nothing;
    if (!std::exchange(greeted_, true))
      greet(request);
    request += std::exchange(replies_, {});
    say(request);
    if (awaited_ > 0)
      return asked::question;
    return request.empty() ? asked::nothing : asked::one_way;
  }

  taken take(std::string_view received) final {
    auto rest = received;
    frame x;
    const auto before = awaited_;
    while (next_frame(rest, x))
      hear(x);
    heard_all();
    return {.bytes = received.size() - rest.size(),
            .answered = before > 0 && awaited_ == 0};
  }

  bool may_close() const final {
    return false;
  }

  void broke(const std::string& why) final {
    to_->fail(why);
  }

protected:
  /// Appends commands, and counts in `awaited_` those that are answered.
  virtual void say(std::string& request) = 0;

  /// The answer to one of them.
  virtual void answered() {
    // nop
  }

  virtual void got(std::string_view) {
    // nop
  }

  /// After everything that was there.
  virtual void heard_all() {
    // nop
  }

  std::shared_ptr<progress> to_;
  std::uint64_t awaited_ = 0;

private:
  void greet(std::string& request) {
    std::string who = R"({"client_id":"depositbench")";
    if (!buffered_)
      who += R"(,"output_buffer_size":-1,"output_buffer_timeout":-1)";
    who += '}';
    request += "  V2IDENTIFY\n";
    append_sized(request, who);
    greetings_ = 1;
    if (!secret_.empty()) {
      request += "AUTH\n";
      append_sized(request, secret_);
      ++greetings_;
    }
    awaited_ += greetings_;
  }

  void hear(const frame& x) {
    if (x.kind == frame_kind::error) {
      to_->fail("nsq: " + std::string{x.data.substr(0, 500)});
    } else if (x.kind == frame_kind::message) {
      got(x.data);
    } else if (x.data == "_heartbeat_") {
      replies_ += "NOP\n";
    } else if (awaited_ > 0) {
      --awaited_;
      if (greetings_ > 0)
        --greetings_;
      else
        answered();
    }
  }

  std::string secret_;
  bool buffered_;
  bool greeted_ = false;
  std::uint64_t greetings_ = 0; ///< whose answers come before all others
  std::string replies_;
};

/// What the connections of one producer share.
struct publish_feed : producer_feed {
  publish_feed(const producer_plan& x, std::shared_ptr<progress> reports)
    : producer_feed(x, std::move(reports), {1, x.body_bytes}) {
    source.append_body(body, 0);
  }

  std::string body; ///< of the size that all have
};

/// MPUB of a group; one PUB for each item of groups of one and of open loops.
class publishing : public nsq_conversation {
public:
  publishing(std::shared_ptr<publish_feed> from, const sender& who)
    : nsq_conversation(from->to, who, true), from_(std::move(from)) {
    // nop
  }

protected:
  void say(std::string& request) override {
    const auto count = from_->ready(pipelined_max);
    if (count == 0)
      return;
    asked_us_ = steady_us();
    const auto& plan = from_->plan;
    const bool single = plan.rate > 0 || plan.group == 1;
    items_each_ = single ? 1 : count;
    awaited_ += single ? count : 1;
    if (!single) {
      request += "MPUB " + plan.queue + '\n';
      append_size(request, 4 + count * (4 + from_->body.size()));
      append_size(request, count);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (single)
        request += "PUB " + plan.queue + '\n';
      append_size(request, from_->body.size());
      from_->source.append_body(request,
                                from_->mark(asked_us_, from_->sent + i));
    }
    from_->sent += count;
    to_->sent += count;
  }

  void answered() override {
    from_->latencies.push_back(
      static_cast<std::uint32_t>(steady_us() - asked_us_));
    to_->enqueued += items_each_;
  }

private:
  std::shared_ptr<publish_feed> from_;
  std::uint64_t items_each_ = 1;
  std::uint64_t asked_us_ = 0;
};

/// Finishes whatever it gets.
class consuming : public nsq_conversation {
public:
  consuming(std::shared_ptr<progress> to, const std::string& queue,
            const worker_plan& plan, const sender& who)
    // Buffered, nsqd keeps small messages for a quarter of a second.
    : nsq_conversation(std::move(to), who, !plan.note_latency), plan_(plan),
      begin_("SUB " + queue + ' ' + channel + "\nRDY "
             + std::to_string(plan.credit) + '\n') {
    // nop
  }

  ~consuming() override {
    to_->add_latencies(to_->handed_us, latencies_);
  }

protected:
  void say(std::string& request) override {
    if (!begin_.empty()) {
      request += std::exchange(begin_, {});
      ++awaited_;
    }
    request += fins_;
    fins_.clear();
    to_->settled += std::exchange(finished_, 0);
  }

  void got(std::string_view data) override {
    if (data.size() < id_at + id_bytes) {
      to_->fail("nsq: a message of " + std::to_string(data.size()) + " bytes");
      return;
    }
    fins_ += "FIN ";
    fins_ += data.substr(id_at, id_bytes);
    fins_ += '\n';
    ++finished_;
    ++delivered_;
    if (plan_.note_latency) {
      const auto mark = mark_of(data.substr(id_at + id_bytes));
      latencies_.push_back(static_cast<std::uint32_t>(steady_us() - mark));
    }
  }

  void heard_all() override {
    to_->deliver += std::exchange(delivered_, 0);
  }

private:
  worker_plan plan_;
  std::string begin_;
  std::string fins_;
  std::uint64_t finished_ = 0;
  std::uint64_t delivered_ = 0;
  std::vector<std::uint32_t> latencies_;
};

/// Says these one after the other; `settled` counts their answers.
class fixed_commands : public nsq_conversation {
public:
  fixed_commands(std::shared_ptr<progress> to, const sender& who,
                 std::vector<std::string> commands)
    : nsq_conversation(std::move(to), who, true),
      commands_(std::move(commands)) {
    // nop
  }

protected:
  void say(std::string& request) override {
    if (next_ == commands_.size())
      return;
    request += commands_[next_++];
    ++awaited_;
  }

  void answered() override {
    ++to_->settled;
  }

private:
  std::vector<std::string> commands_;
  std::size_t next_ = 0;
};

} // namespace

// -- client -------------------------------------------------------------------

nsq_client::nsq_client(const std::string& address, sender who)
  : who_(std::move(who)), loop_(address) {
  // nop
}

void nsq_client::make_channel(const std::string& queue) {
  if (!made_.insert(queue).second)
    return;
  const auto to = std::make_shared<progress>();
  loop_.add(std::make_unique<fixed_commands>(
    to, who_, std::vector<std::string>{"SUB " + queue + ' ' + channel + '\n'}));
  await(*to, to->settled, 1);
}

void nsq_client::produce(const producer_plan& plan,
                         std::shared_ptr<progress> to) {
  make_channel(plan.queue);
  const auto from = std::make_shared<publish_feed>(plan, std::move(to));
  // What is due leaves on whatever connection is free.
  const auto connections = plan.rate > 0 ? 16 : plan.window;
  for (std::size_t i = 0; i < connections; ++i)
    loop_.add(std::make_unique<publishing>(from, who_));
}

void nsq_client::work_on(const std::string& queue, const worker_plan& plan,
                         std::shared_ptr<progress> to) {
  made_.insert(queue);
  loop_.add(std::make_unique<consuming>(std::move(to), queue, plan, who_));
}

void nsq_client::enqueue_now(const std::string& queue,
                             std::vector<new_item> items) {
  make_channel(queue);
  std::vector<std::string> commands;
  for (const auto& item : items) {
    commands.push_back("PUB " + queue + '\n');
    append_sized(commands.back(), item.body);
  }
  const auto to = std::make_shared<progress>();
  const auto count = commands.size();
  loop_.add(std::make_unique<fixed_commands>(to, who_, std::move(commands)));
  await(*to, to->settled, count);
}

void nsq_client::purge(const std::string& queue) {
  const auto to = std::make_shared<progress>();
  for (int i = 0; i < 2; ++i)
    work_on(queue, {.name = "purge", .credit = 1000}, to);
  std::uint64_t before = 0;
  do {
    before = to->settled;
    std::this_thread::sleep_for(quiet_enough);
    if (to->failed)
      throw std::runtime_error(to->failure);
  } while (to->settled != before);
  finish();
}

void nsq_client::finish() {
  loop_.finish();
}

} // namespace depositd::bench
