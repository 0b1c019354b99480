#include "adapters/doors/operations/watch.hpp"

#include "adapters/doors/operations/api_answers.hpp"
#include "messages/operators.hpp"
#include "messages/values/errors.hpp"

#include <algorithm>
#include <utility>

namespace depositd {

namespace {

using pointer = actor_with<watcher_state>*;
using time_point = std::chrono::steady_clock::time_point;
using written = http::body_stream::written;

/// An event that a stream would never take says so instead.
watched::event event_of(const std::string& name, const std::string& data) {
  auto text = event_text(name, data);
  if (text.size() > http::body_stream::pending_bytes_max)
    text =
      event_text("refused", api_refusal(413, "too_large",
                                        "the answer is too large to be watched")
                              .body);
  return std::make_shared<const std::string>(std::move(text));
}

void bring_up(watched::reader& x, const watched::event& newest,
              time_point now) {
  static const auto silence = std::make_shared<const std::string>(":\n\n");
  if (x.has != newest) {
    if (x.to->write(newest) == written::taken) {
      x.has = newest;
      x.written = now;
    }
  } else if (now - x.written >= watch_silence_max
             && x.to->write(silence) == written::taken) {
    x.written = now;
  }
}

void bring_up(watched& group, time_point now) {
  for (auto& x : group.readers)
    bring_up(x, group.newest, now);
}

/// Without those who are gone, or have looked long enough.
void tidy(watched& group, time_point now) {
  std::erase_if(group.readers, [&](auto& x) {
    const bool over = now >= x.until;
    if (over)
      x.to->end();
    return over || x.to->gone();
  });
}

void tell(pointer self, const watcher_state::key& key, const char* name,
          const std::string& data) {
  const auto at = self->state.all.find(key);
  if (at == self->state.all.end())
    return;
  auto& group = at->second;
  group.asking = false;
  auto event = event_of(name, data);
  if (*event != *group.newest)
    group.newest = std::move(event);
  bring_up(group, self->clock().now());
}

/// Whoever may not look any more is told, and that is the end.
void refuse(pointer self, const watcher_state::key& key,
            const caf::error& why) {
  tell(self, key, "refused", api_refusal(why).body);
  const auto at = self->state.all.find(key);
  if (at == self->state.all.end()
      || (why != ec::wrong_credentials && why != ec::not_allowed))
    return;
  for (auto& x : at->second.readers)
    x.to->end();
  self->state.all.erase(at);
}

void ask(pointer self, const watcher_state::key& key, watched& group) {
  if (std::exchange(group.asking, true))
    return;
  const auto& [who, proof, command, arguments] = key;
  self
    ->request(
      self->state.whom, group.patience,
      command_as{who, group.from, admin_request{command, arguments}, proof})
    .then([=](const admin_reply& x) { tell(self, key, "", x.document); },
          [=](const caf::error& why) { refuse(self, key, why); });
}

void look(pointer self) {
  auto& state = self->state;
  const auto now = self->clock().now();
  for (auto at = state.all.begin(); at != state.all.end();) {
    auto& group = at->second;
    tidy(group, now);
    if (group.readers.empty()) {
      at = state.all.erase(at);
      continue;
    }
    bring_up(group, now);
    ask(self, at->first, group);
    ++at;
  }
  state.looking = !state.all.empty();
  if (state.looking)
    self->delayed_send(self, watch_step, look_again{});
}

void add(pointer self, const watch_document& x) {
  auto& state = self->state;
  const auto now = self->clock().now();
  auto& group = state.all[{x.operator_name, x.proof, x.command, x.arguments}];
  if (group.readers.empty()) {
    group.from = x.from;
    group.patience = x.patience;
  }
  // It is no older than what the others have.
  auto event = event_of("", x.first);
  if (!group.newest || *event != *group.newest)
    group.newest = std::move(event);
  group.readers.push_back({x.to, x.until, now, nullptr});
  bring_up(group, now);
  if (!std::exchange(state.looking, true))
    self->delayed_send(self, watch_step, look_again{});
}

} // namespace

std::string event_text(const std::string& name, const std::string& data) {
  auto out = name.empty() ? std::string{} : "event: " + name + '\n';
  for (std::size_t begin = 0; begin <= data.size();) {
    const auto end = std::min(data.find('\n', begin), data.size());
    out += "data: ";
    out.append(data, begin, end - begin);
    out += '\n';
    begin = end + 1;
  }
  return out + '\n';
}

watcher_self::behavior_type watcher(pointer self, admin_actor whom) {
  self->state.whom = std::move(whom);
  return {
    [=](const watch_document& x) { add(self, x); },
    [=](look_again) { look(self); },
  };
}

} // namespace depositd
