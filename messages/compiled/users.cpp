// Compiles these messages for all who send them (messages/message.hpp).

#include "messages/actors.hpp"

#include "messages/compiled/here.hpp"

#include "messages/answers.hpp"
#include "messages/journal.hpp"
#include "messages/queue.hpp"
#include "messages/receiving.hpp"
#include "messages/users.hpp"
#include "messages/work.hpp"

namespace depositd {

DEPOSITD_COMPILED_HERE(caf::error);
DEPOSITD_COMPILED_HERE(done);
DEPOSITD_COMPILED_HERE(processor_actor);
DEPOSITD_COMPILED_HERE(queue_port_actor);
DEPOSITD_COMPILED_HERE(shard_processors_actor);
DEPOSITD_COMPILED_HERE(shard_actor);
DEPOSITD_COMPILED_HERE(projector_actor);
DEPOSITD_COMPILED_HERE(store_server_actor);
DEPOSITD_COMPILED_HERE(processor_manager_actor);
DEPOSITD_COMPILED_HERE(native_actor);

} // namespace depositd
