#include "messages/message_types.hpp"

#include "messages/id_block.hpp"

namespace depositd {

void add_depositd_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::depositd>();
}

} // namespace depositd
