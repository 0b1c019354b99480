// Does ThreadSanitizer see through CAF? `messages`: actors that share nothing
// but messages; nothing may be said. `race`: two of them write one number, and
// that has to be said.

#include <caf/all.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace {

long shared = 0; ///< by nothing but a mistake

caf::behavior collector(caf::stateful_actor<std::vector<std::string>>* self,
                        bool with_race) {
  return {
    [=](int, const std::string& what) {
      self->state.push_back(what);
      if (with_race)
        ++shared;
    },
    [=](int) { return static_cast<int>(self->state.size()); },
  };
}

caf::behavior feeder(caf::event_based_actor* self, const caf::actor& to) {
  constexpr int messages = 2'000;
  self->send(self, 0);
  return {
    [=](int i) {
      self->send(to, i, std::string(100, 'x'));
      if (i < messages)
        self->send(self, i + 1);
      else
        self->quit();
    },
  };
}

} // namespace

int main(int argc, char** argv) {
  const auto with_race = argc > 1 && std::strcmp(argv[1], "race") == 0;
  caf::actor_system_config config;
  config.set("scheduler.max-threads", 4u);
  caf::actor_system system{config};
  for (int i = 0; i < 4; ++i) {
    const auto to = system.spawn(collector, with_race);
    system.spawn(feeder, to);
    system.spawn(feeder, to);
    caf::scoped_actor self{system};
    self->request(to, caf::infinite, 1)
      .receive([](int) {}, [](const caf::error&) {});
  }
  return 0;
}
