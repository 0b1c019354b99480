// Compiles these messages for all who send them (messages/message.hpp).

#include "messages/actors.hpp"
#include "messages/shard.hpp"
#include "messages/projection.hpp"
#include "messages/records.hpp"

#include "messages/compiled/here.hpp"

#include "messages/audit.hpp"
#include "messages/catalogue.hpp"
#include "messages/letters.hpp"
#include "messages/metrics.hpp"
#include "messages/operators.hpp"
#include "messages/orders.hpp"
#include "messages/stores.hpp"
