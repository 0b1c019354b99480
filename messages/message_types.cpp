#include "messages/message_types.hpp"

#include "messages/compiled/values.hpp"
#include "messages/id_block.hpp"

#include <typeinfo>
#include <utility>

namespace depositd {

namespace {

/// CAF's own `add_message_type` also makes streams and lists of it, of which
/// there are none here.
template <class T>
void add(caf::actor_system_config& config) {
  config.type_names_by_rtti.emplace(typeid(T), message_traits<T>::name);
  config.value_factories_by_name.emplace(message_traits<T>::name,
                                         &make_value<T>);
  config.value_factories_by_rtti.emplace(typeid(T), &make_value<T>);
}

template <caf::type_id_t... Numbers>
void add_all(caf::actor_system_config& config,
             std::integer_sequence<caf::type_id_t, Numbers...>) {
  (add<typename numbered_message<Numbers>::type>(config), ...);
}

} // namespace

void add_depositd_messages(caf::actor_system_config& config) {
  add_all(config,
          std::make_integer_sequence<caf::type_id_t, count_messages()>{});
}

} // namespace depositd
