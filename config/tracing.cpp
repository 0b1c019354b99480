#include "config/tracing.hpp"

#include "adapters/tracing/otlp_exporter.hpp"
#include "config/version.hpp"
#include "messages/thread_probe.hpp"
#include "messages/values/trace_book.hpp"

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <utility>

namespace depositd {

namespace {

constexpr std::chrono::seconds last_look_max{5};

} // namespace

caf::expected<std::shared_ptr<span_sink>>
open_span_sink(const depositd_settings& settings) {
  if (settings.trace.endpoint.empty())
    return std::shared_ptr<span_sink>{};
  open_trace_book();
  otlp_options options;
  options.endpoint = settings.trace.endpoint;
  options.ca_file = settings.trace.ca;
  options.from.instance = settings.node.name;
  options.from.version = version_text;
  auto out = make_otlp_exporter(std::move(options));
  if (!out)
    return std::move(out.error());
  return std::shared_ptr<span_sink>{std::move(*out)};
}

records::tracer_actor spawn_tracer(caf::actor_system& system,
                                   std::shared_ptr<span_sink> sink,
                                   journal_store* journal) {
  if (!sink)
    return {};
  records::tracer_options options;
  options.store = journal;
  options.sink = std::move(sink);
  options.after = journal->last();
  look_for_thread();
  return system.spawn<caf::detached>(records::tracer, std::move(options));
}

void end_tracer(caf::actor_system& system, const records::tracer_actor& who) {
  if (!who)
    return;
  caf::scoped_actor self{system};
  self->request(who, last_look_max, records::make_last_spans{})
    .receive([](const done&) {}, [](const caf::error&) {});
  self->send_exit(who, caf::exit_reason::kill);
  self->wait_for(who);
}

} // namespace depositd
