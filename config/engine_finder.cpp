#include "config/engine_finder.hpp"

#include "messages/values/endpoint.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <set>
#include <string>

namespace depositd {

namespace {

caf::error no_engine(const std::string& address, const char* what) {
  return caf::make_error(caf::sec::cannot_connect_to_node,
                         address + ": " + what);
}

engine_finder_actor::behavior_type
engine_finder(engine_finder_actor::pointer self,
              caf::io::middleman_actor middleman,
              std::chrono::milliseconds within) {
  return {
    [=](const find_engine& x) -> caf::result<engine_found> {
      const auto where = parse_endpoint(x.address);
      if (!where)
        return where.error();
      auto promise = self->make_response_promise<engine_found>();
      self
        ->request(middleman, within, caf::connect_atom_v, where->host,
                  where->port)
        .then(
          [=, address = x.address](
            const caf::node_id&, const caf::strong_actor_ptr& found,
            const std::set<std::string>& interface) mutable {
            if (!found)
              promise.deliver(no_engine(address, "nothing is published"));
            else if (!self->system().assignable<admin_actor>(interface))
              promise.deliver(no_engine(address, "no depositd of our version"));
            else
              promise.deliver(
                engine_found{caf::actor_cast<admin_actor>(found)});
          },
          [=](const caf::error& why) mutable { promise.deliver(why); });
      return promise;
    },
  };
}

} // namespace

engine_finder_actor
spawn_engine_finder(caf::actor_system& system,
                    const engine_finder_options& options) {
  return system.spawn(engine_finder, options.middleman, options.connect_within);
}

bool answers(caf::actor_system& system, const engine_finder_actor& finder,
             const std::string& name, const std::string& address) {
  const auto within = engine_finder_options{}.connect_within;
  caf::scoped_actor self{system};
  admin_actor found;
  self->request(finder, within, find_engine{address})
    .receive([&](const engine_found& x) { found = x.admin; },
             [](const caf::error&) { /* nobody is there */ });
  auto out = false;
  if (found)
    self->request(found, within, meet_engine{})
      .receive([&](const engine_met& x) { out = x.engine == name; },
               [](const caf::error&) { /* it is starting, or ending */ });
  return out;
}

} // namespace depositd
