// Compiles these messages for all who send them (messages/message.hpp).

#include "messages/actors.hpp"

#undef DEPOSITD_ELSEWHERE
#define DEPOSITD_ELSEWHERE

#include "messages/answers.hpp"
#include "messages/journal.hpp"
#include "messages/queue.hpp"
#include "messages/receiving.hpp"
#include "messages/users.hpp"
#include "messages/work.hpp"

namespace depositd {

DEPOSITD_COMPILED_ONCE(done);

} // namespace depositd
