#include "config/handlers.hpp"

#include "adapters/processing/crossref/handler.hpp"
#include "messages/workers.hpp"

#include <utility>

namespace depositd {

handler_spawner handlers_of(caf::actor_system& system,
                            const depositd_settings& settings,
                            std::shared_ptr<blob_store> blobs,
                            std::shared_ptr<doi_registry> registry) {
  const std::chrono::milliseconds delay{settings.processors.inject_delay_ms};
  if (delay.count() > 0)
    return [&system, delay](std::size_t) -> handler_actor {
      return system.spawn(crossref::delaying_handler, delay);
    };
  crossref::submission_handler handling;
  handling.blobs = std::move(blobs);
  handling.registry = std::move(registry);
  if (!settings.crossref.schema_folder.empty())
    handling.schemas = std::make_shared<crossref::schema_folder>(
      settings.crossref.schema_folder);
  const auto work =
    std::make_shared<const crossref::submission_handler>(std::move(handling));
  return [&system, work](std::size_t threads) {
    return workers<handler_actor>(system, {.count = threads}, [&system, work] {
      return system.spawn<caf::detached>(crossref::handler, work);
    });
  };
}

} // namespace depositd
