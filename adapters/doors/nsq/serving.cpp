// What commands do, but for those that take a while.

#include "adapters/doors/nsq/connection.hpp"
#include "adapters/doors/nsq/layer.hpp"

#include <utility>

namespace depositd::nsq {

namespace {

/// When it is looked again whether a user may send more.
constexpr std::chrono::milliseconds slow_pause{100};

constexpr std::string_view ok = "OK";

/// As much of a body that is being read is not worth counting.
constexpr std::size_t small_body_bytes = 16 << 10;

constexpr std::string_view no_memory = "there is no memory for it";

std::string frame_of(frame_type type, std::string_view data) {
  std::string out;
  append_frame(out, type, data);
  return out;
}

refusal failure(verb of, std::string_view why) {
  const std::string word{word_of(of)};
  return refusal::of("E_" + word + "_FAILED",
                     word + " failed " + std::string{why});
}

topic_right right_of(verb what) {
  return what == verb::sub ? topic_right::subscribe : topic_right::publish;
}

} // namespace

void connection::answer(std::string_view text) {
  answers_.add(frame_of(frame_type::response, text));
}

void connection::refuse(const refusal& why) {
  answers_.add(frame_of(frame_type::error, why.text));
  closing_ = closing_ || why.fatal;
}

// A command that is refused before its body has come.
void connection::turn_away(const refusal& why) {
  if (why.text.starts_with("E_AUTH_FIRST"))
    core_.refuse(address_, why.text);
  refuse(why);
}

void connection::fail(verb what, std::string_view why) {
  refuse(failure(what, why));
}

void connection::hold_what_is_read() {
  const auto& memory = core_.options.memory;
  const auto held = reader_.held() + (slowed_ ? slowed_bytes_ : 0);
  const auto needed = held > small_body_bytes ? held : 0;
  if (!memory || closing_ || needed == reading_bytes_)
    return;
  if (needed > reading_bytes_ && !memory->hold(needed - reading_bytes_))
    return fail(reader_.reading(), no_memory);
  if (needed < reading_bytes_)
    memory->let_go(reading_bytes_ - needed);
  reading_bytes_ = needed;
}

void connection::execute(command what) {
  heard_ = now();
  const bool changes = what.what == verb::identify || what.what == verb::auth
                       || what.what == verb::sub;
  if (changes && !answers_.empty())
    waiting_ = std::move(what);
  else
    run(std::move(what));
}

void connection::run(command what) {
  switch (what.what) {
    case verb::identify:
      return identify_client(what);
    case verb::auth:
      return authenticate(what);
    case verb::sub:
      return subscribe(what);
    case verb::rdy:
      return consumer_->set_ready(static_cast<std::uint32_t>(what.count));
    case verb::fin:
    case verb::req:
    case verb::touch:
      return consumer_->execute(what, now());
    case verb::cls:
      stopped_ = true;
      consumer_->stop();
      record_->change([](client_facts& x) { x.state = client_state::closing; });
      return answer("CLOSE_WAIT");
    case verb::nop:
      return;
    case verb::pub:
    case verb::mpub:
    case verb::dpub:
      return publish_messages(std::move(what));
  }
}

// -- IDENTIFY -----------------------------------------------------------------

void connection::identify_client(const command& what) {
  auto said =
    identify(what.bodies.front(), core_.options.limits, core_.facts, terms_);
  if (said.wrong)
    return refuse(*said.wrong);
  // Layers come once; each of them costs memory.
  if ((said.tls && wire_.tls() != nullptr)
      || ((said.snappy || said.deflate) && packs_))
    return refuse(
      refusal::of("E_IDENTIFY_FAILED", "IDENTIFY failed it is on already"));
  packs_ = packs_ || said.snappy || said.deflate;
  user_.clear();
  beat_ = now() + terms_.heartbeat;
  record_->change([&](client_facts& x) {
    x.client_id = terms_.client_id;
    x.hostname = terms_.hostname;
    x.user_agent = terms_.user_agent;
    x.sample_rate = terms_.sample_rate;
    x.snappy = x.snappy || said.snappy;
    x.deflate = x.deflate || said.deflate;
  });
  answer(said.answer);
  if (!said.tls && !said.snappy && !said.deflate)
    return;
  // The answer is the last that goes out as everything before.
  send_answers();
  if (!wire_.flush())
    lose();
  upgrade_ = std::move(said);
  begin_upgrade();
}

void connection::begin_upgrade() {
  if (upgrade_->tls) {
    wire_.add_tls(core_.tls.now());
    mark();
  } else {
    go_on_upgrading();
  }
}

void connection::go_on_upgrading() {
  const auto what = std::move(*upgrade_);
  upgrade_.reset();
  // Each layer is told of as soon as it is there, through it.
  const auto tell = [this] {
    append_frame(wire_.frames(), frame_type::response, ok);
    if (!wire_.flush())
      lose();
  };
  if (what.tls) {
    record_->change([&](client_facts& x) {
      x.tls = true;
      x.tls_version = wire_.tls()->version();
      x.tls_cipher_suite = wire_.tls()->cipher();
    });
    tell();
  }
  if (what.snappy) {
    wire_.add(make_snappy_layer());
    tell();
  }
  if (what.deflate) {
    wire_.add(make_deflate_layer(what.deflate_level));
    tell();
  }
  heard_ = now();
  mark();
}

// -- publishing ---------------------------------------------------------------

const std::string& connection::user_of_messages() {
  if (!user_.empty())
    return user_;
  if (!login_.user().empty())
    user_ = login_.user();
  else if (core_.options.user == anonymous_user_is::client_id
           && !terms_.client_id.empty())
    user_ = user_name_of(terms_.client_id);
  else
    user_ = user_of_address(address_);
  return user_;
}

bool connection::permitted(const command& what) {
  const std::string word{word_of(what.what)};
  const auto keys = core_.keys.load();
  switch (login_.may(right_of(what.what), word, what.topic, what.channel, keys,
                     now())) {
    case login::verdict::yes:
      if (login_.key() != nullptr)
        kit::note_use(*login_.key(), core_.asked, core_.options.engine);
      return true;
    case login::verdict::no:
      core_.refuse(address_, login_.refused().text);
      refuse(login_.refused());
      return false;
    case login::verdict::ask_again:
      ask_server(login_.secret(), [this, what](const refusal* wrong) {
        if (wrong != nullptr)
          refuse(*wrong);
        else
          run(what);
      });
      return false;
  }
  return false;
}

void connection::publish_messages(command what) {
  if (!permitted(what))
    return;
  const auto& user = user_of_messages();
  if (core_.is_barred(what.topic, user))
    return fail(what.what, "the user's quota for this topic is 0");
  if (!core_.within_quota(what.topic, user)) {
    slowed_bytes_ =
      text_bytes_of(what.bodies) + what.bodies.capacity() * sizeof(std::string);
    slowed_ = std::move(what);
    slow_until_ = now() + slow_pause;
    return;
  }
  if (!core_.may_make(user, what.topic, {}))
    return fail(what.what, made_enough);
  if (core_.asked.full())
    return fail(what.what, "too many requests wait");
  const auto bytes = text_bytes_of(what.bodies);
  if (core_.options.memory
      && !core_.options.memory->hold(cost_of(bytes, what.bodies.size())))
    return fail(what.what, no_memory);
  pending_bytes_ += bytes;
  record_->count_published(what.topic, what.bodies.size());
  publish_answer to{weak_from_this(), answers_.expect(), what.what, bytes, {}};
  thread_.round.add({std::move(what.topic), user,
                     static_cast<std::uint32_t>(what.count),
                     std::move(what.bodies)},
                    std::move(to));
}

void connection::published(const publish_answer& x, const caf::error& why) {
  // Of several parts the last one answers, or the first that failed.
  if (*x.open == 0)
    return;
  *x.open = why ? 0 : *x.open - 1;
  if (*x.open > 0 || ended_)
    return;
  pending_bytes_ -= x.bytes;
  if (!why) {
    answers_.complete(x.number, frame_of(frame_type::response, ok));
  } else {
    answers_.complete(
      x.number, frame_of(frame_type::error, failure(x.what, render(why)).text));
    closing_ = true;
  }
  mark();
}

} // namespace depositd::nsq
