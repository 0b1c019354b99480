// Compiles these messages for all who send them (messages/message.hpp).

#include "messages/actors.hpp"
#include "messages/shard.hpp"
#include "messages/stores.hpp"

#include "messages/compiled/here.hpp"

#include "messages/cluster.hpp"
#include "messages/sources.hpp"
