#include "adapters/stores/postgres/shard_epochs.hpp"

#include "adapters/stores/files/lost_epochs.hpp"
#include "adapters/stores/postgres/statements.hpp"

namespace depositd::postgres {

caf::expected<std::string> server_of(connection& to) {
  const auto found = to.run(statements::server);
  if (!found && to.lost())
    return found.error();
  std::string out;
  if (found)
    found->read(0, 0, out);
  return out;
}

caf::expected<result> raise_epoch(connection& to, std::uint32_t shard,
                                  epoch_number known,
                                  const std::string& server) {
  return to.run(statements::take_shard,
                parameters{shard, known, server, lost_epochs_max});
}

caf::expected<result> raise_epoch(connection& to, std::uint32_t shard) {
  const auto server = server_of(to);
  if (!server)
    return server.error();
  return raise_epoch(to, shard, 0, *server);
}

} // namespace depositd::postgres
