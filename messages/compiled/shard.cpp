// Compiles these messages for all who send them (messages/message.hpp).

#include "messages/actors.hpp"
#include "messages/users.hpp"

#undef DEPOSITD_ELSEWHERE
#define DEPOSITD_ELSEWHERE

#include "messages/follow_control.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "messages/topics.hpp"
