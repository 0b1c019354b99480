// Compiles these messages for all who send them (messages/message.hpp).

#include "messages/actors.hpp"
#include "messages/users.hpp"

#include "messages/compiled/here.hpp"

#include "messages/follow_control.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "messages/topics.hpp"
