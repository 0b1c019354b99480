#include "adapters/doors/nsq/connection.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::nsq {

namespace {

using std::chrono::milliseconds;

/// Bytes of commands that are served before others have their turn.
constexpr std::size_t turn_bytes = 1 << 20;

/// Without heartbeats, for a client that takes nothing.
constexpr milliseconds patience{60'000};

} // namespace

connection::connection(io_thread& where, int socket, const std::string& peer,
                       std::uint16_t peer_port, std::uint64_t place)
  : thread_(where), core_(where.core), wire_(socket), address_(peer),
    place_(place), record_(where.core.clients.enter()),
    terms_(where.core.options.limits), reader_(where.core.options.limits) {
  heard_ = now();
  beat_ = heard_ + terms_.heartbeat;
  record_->change([&](client_facts& x) {
    x.remote_address = to_string(endpoint{peer, peer_port});
    x.client_id = x.hostname = peer;
    x.connect_ts = std::chrono::duration_cast<std::chrono::seconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  });
}

connection::time connection::now() const {
  return thread_.loop->now();
}

void connection::start() {
  core_.arrivals.ends_by(place_, [weak = weak_from_this(), &to = thread_] {
    to.post([weak] {
      if (const auto self = weak.lock())
        self->end();
    });
  });
  watch();
  arm();
}

void connection::mark() {
  if (!ended_ && !std::exchange(marked_, true))
    thread_.mark(shared_from_this());
}

void connection::end() {
  if (std::exchange(ended_, true))
    return;
  // What the client has said goes to the queue before the consumer leaves it.
  consumer_.reset();
  if (counted_)
    core_.clients.stop_consuming(topic_, channel_);
  if (noted_)
    core_.asked.ask(core_.options.shard, note_consumers{topic_, channel_, -1},
                    [](kit::core_answer) {
                      // The shard keeps count, or has started over.
                    });
  core_.clients.leave(record_);
  core_.arrivals.leave(place_);
  if (core_.options.memory)
    core_.options.memory->let_go(std::exchange(reading_bytes_, 0));
  if (watched_)
    thread_.loop->unwatch(wire_.socket());
  // Closing now would reset it, and the error would be lost.
  if (closing_ && !gone_ && kit::has_unread_bytes(wire_.socket()))
    thread_.lingering.add(wire_.socket());
  thread_.forget(*this);
}

void connection::end_with(std::string text) {
  append_frame(wire_.frames(), frame_type::error, text);
  urgent_ = true;
  closing_ = true;
}

void connection::drain() {
  if (ended_)
    return;
  if (consumer_)
    consumer_->stop();
  mark();
}

// -- in -----------------------------------------------------------------------

bool connection::owes_much() const {
  return answers_.size() >= core_.options.answers_max
         || pending_bytes_ >= core_.options.pending_bytes_max;
}

bool connection::may_serve() const {
  return !closing_ && !busy_ && !waiting_ && !slowed_ && !owes_much();
}

bool connection::may_go_on() const {
  return may_serve() && !gone_ && !wire_.over()
         && wire_.backlog() <= core_.options.backlog_bytes_max;
}

// Of commands that are served one at a time each look serves one: whoever sends
// them faster waits, and not in memory.
bool connection::may_read() const {
  return may_go_on() && wire_.is_read_up();
}

void connection::receive() {
  if (wire_.receive())
    return;
  gone_ = true;
  lost_line_ = lost_line_ || wire_.lost();
  // Nobody will finish what would be handed out.
  if (consumer_)
    consumer_->stop();
}

void connection::ready() {
  const auto before = wire_.unsent();
  if (before > 0) {
    if (!wire_.write())
      lose();
    if (wire_.unsent() < before)
      stuck_until_ = time::max();
  }
  if (!gone_ && may_read())
    receive();
  mark();
}

bool connection::read_magic(std::string_view& from) {
  const auto count =
    std::min(protocol_magic.size() - magic_.size(), from.size());
  magic_.append(from.substr(0, count));
  from.remove_prefix(count);
  if (magic_.size() < protocol_magic.size())
    return false;
  if (magic_ != protocol_magic) {
    end_with("E_BAD_PROTOCOL");
    return false;
  }
  if (!core_.arrivals.finish(place_)) {
    end_with("E_INVALID too many connections");
    return false;
  }
  heard_ = now();
  return true;
}

// A client that is gone may have said something before it went.
void connection::pump() {
  std::size_t served = 0;
  more_ = false;
  while (may_serve()) {
    auto bytes = wire_.input();
    if (upgrade_ && wire_.tls() != nullptr && wire_.tls()->established())
      return go_on_upgrading();
    if (bytes.empty())
      break;
    if (served >= turn_bytes) {
      more_ = true;
      break;
    }
    const auto size = bytes.size();
    auto step = command_reader::step::more;
    if (magic_.size() == protocol_magic.size() || read_magic(bytes))
      step = reader_.read(
        bytes, {consumer_ != nullptr, stopped_, terms_.heartbeat.count() > 0,
                core_.options.tls_required && wire_.tls() == nullptr,
                core_.facts.auth_required && !login_.entered()});
    served += size - bytes.size();
    wire_.consumed(size - bytes.size());
    if (step == command_reader::step::complete) {
      auto what = reader_.take();
      hold_what_is_read();
      execute(std::move(what));
    } else if (step == command_reader::step::refused) {
      turn_away(reader_.why());
    }
  }
  hold_what_is_read();
  // A client that says goodbye is gone, too, when all is served that it said
  // before.
  if (wire_.over() && may_serve() && wire_.input().empty()) {
    if (wire_.failure() && core_.may_log("ended"))
      spdlog::info("nsq_client_ended peer={} reason=\"{}\"", address_,
                   render(wire_.failure()));
    gone_ = true;
    lost_line_ = lost_line_ || wire_.failure();
  }
}

// -- out ----------------------------------------------------------------------

void connection::send_message(const wire_message& what) {
  append_message(wire_.frames(), what);
}

void connection::send_answers() {
  answers_.drain([this](const std::string& frame) {
    wire_.frames() += frame;
    urgent_ = true;
  });
}

/// Messages of a client that has asked for it may wait for others.
bool connection::may_send_later() const {
  return !urgent_ && consumer_ && consumer_->wants_more()
         && terms_.waits_for_more && wire_.waiting() < terms_.output_buffer;
}

void connection::send() {
  if (wire_.waiting() == 0) {
    send_at_ = time::max();
    // Layers have something to say of their own.
    if (wire_.unsent() > 0 && !wire_.write())
      lose();
    return;
  }
  if (may_send_later() && now() < send_at_) {
    if (send_at_ == time::max() && terms_.output_timeout.count() > 0)
      send_at_ = now() + terms_.output_timeout;
    return;
  }
  send_at_ = time::max();
  urgent_ = false;
  if (!wire_.flush())
    lose();
}

void connection::watch() {
  std::optional<kit::interest> wanted;
  const bool reads = may_read() && !more_;
  const bool writes = wire_.unsent() > 0 && !lost_line_;
  if (reads && writes)
    wanted = kit::interest::both;
  else if (reads)
    wanted = kit::interest::reading;
  else if (writes)
    wanted = kit::interest::writing;
  if (wanted == watched_)
    return;
  watched_ = wanted;
  if (!wanted)
    return thread_.loop->unwatch(wire_.socket());
  thread_.loop->watch(wire_.socket(), *wanted, [weak = weak_from_this()] {
    if (const auto self = weak.lock())
      self->ready();
  });
}

void connection::go_on_with_slowed() {
  if (!slowed_ || closing_ || busy_ || now() < slow_until_)
    return;
  heard_ = now(); // it may have said more, and nobody listens
  auto next = std::move(*slowed_);
  slowed_.reset();
  run(std::move(next));
  hold_what_is_read();
}

void connection::go_on_with_waiting() {
  if (!waiting_ || !answers_.empty() || busy_)
    return;
  auto next = std::move(*waiting_);
  waiting_.reset();
  run(std::move(next));
  send_answers();
  mark(); // what stands behind it
}

/// Answers that somebody may be waiting for.
bool connection::owes() const {
  return !lost_line_
         && (!answers_.empty() || wire_.backlog() > 0 || busy_ || waiting_);
}

// What a client had said before it went is served, and whoever still listens is
// answered, but nobody waits long for that.
bool connection::is_done() {
  if (closing_ && answers_.empty() && wire_.backlog() == 0)
    return true;
  if (!gone_)
    return false;
  gone_until_ = std::min(gone_until_, now() + silence_max());
  const bool has_said_more = !closing_ && (more_ || slowed_ || owes_much());
  if ((!has_said_more && !owes()) || now() >= gone_until_)
    return true;
  core_.clients.leave(record_); // for those who ask who is there
  return false;
}

void connection::end_of_look() {
  marked_ = false;
  if (ended_)
    return;
  const auto self = shared_from_this();
  go_on_with_slowed();
  if (more_ || may_go_on() || gone_ || wire_.over())
    pump();
  send_answers();
  go_on_with_waiting();
  if (consumer_)
    consumer_->flush();
  const auto before = wire_.unsent();
  send();
  if (wire_.unsent() == 0)
    stuck_until_ = time::max();
  else if (before == 0 || stuck_until_ == time::max())
    stuck_until_ = now() + silence_max();
  if (is_done())
    return end();
  if (more_)
    thread_.post([weak = weak_from_this()] {
      if (const auto still = weak.lock())
        still->mark();
    });
  watch();
  arm();
}

// -- times --------------------------------------------------------------------

milliseconds connection::silence_max() const {
  return terms_.heartbeat.count() > 0 ? 2 * terms_.heartbeat : patience;
}

bool connection::greets() const {
  return magic_.size() < protocol_magic.size() || upgrade_;
}

std::optional<connection::time> connection::next_time() const {
  if (gone_)
    return slowed_ ? std::min(slow_until_, gone_until_) : gone_until_;
  auto out = std::min(stuck_until_, send_at_);
  if (slowed_)
    out = std::min(out, slow_until_);
  const bool beats = terms_.heartbeat.count() > 0;
  if (greets())
    out = std::min(out, heard_ + core_.options.arrivals.handshake);
  else if (beats)
    out = std::min(out, beat_);
  if (beats || closing_)
    out = std::min(out, heard_ + silence_max());
  if (consumer_)
    if (const auto next = consumer_->next_time())
      out = std::min(out, *next);
  if (out == time::max())
    return std::nullopt;
  return out;
}

void connection::arm() {
  const auto next = next_time();
  if (!next || (!armed_.empty() && *armed_.begin() <= *next))
    return;
  const auto at = *next;
  armed_.insert(at);
  thread_.loop->post_at(at, [weak = weak_from_this(), at] {
    if (const auto self = weak.lock())
      self->timer_due(at);
  });
}

void connection::timer_due(time at) {
  armed_.erase(at);
  if (ended_)
    return;
  look_at_time(now());
  mark();
}

void connection::look_at_time(time at) {
  const bool beats = terms_.heartbeat.count() > 0;
  if (beats && at >= beat_ && !greets()) {
    beat_ = std::max(beat_, at - terms_.heartbeat / 2) + terms_.heartbeat;
    append_frame(wire_.frames(), frame_type::response, heartbeat_text);
    urgent_ = true;
  }
  if (at >= stuck_until_
      || (greets() && at >= heard_ + core_.options.arrivals.handshake)
      || ((beats || closing_) && at >= heard_ + silence_max())
      || (consumer_ && !consumer_->look_at_time(at)))
    lose();
}

} // namespace depositd::nsq
