#pragma once

// The homes that CAF has for a value: a place in a mailbox, a message, an
// element of some message (also what comes from another node). All of them hold
// any type, whose value stands behind its holder in one block of memory.

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/rtti_pair.hpp>
#include <caf/type_erased_value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace depositd {

/// What holders ask of a type of message.
struct message_kind {
  caf::rtti_pair type;
  std::uint32_t token = 0;
  std::size_t size = 0; ///< in bytes; aligned as `operator new` aligns
  void (*copy)(void* to, const void* from) = nullptr; ///< makes a value at `to`
  void (*move)(void* to, void* from) = nullptr; ///< the same; never throws
  void (*destroy)(void*) = nullptr;
  std::string (*text)(const void*) = nullptr;
  caf::error (*save)(caf::serializer&, void*) = nullptr;
  caf::error (*load)(caf::deserializer&, void*) = nullptr;
};

/// These take the value at `from`.
caf::mailbox_element_ptr
hold_in_mailbox(const message_kind& kind, void* from,
                caf::strong_actor_ptr&& sender, caf::message_id id,
                caf::mailbox_element::forwarding_stack&& stages);
caf::message hold_in_message(const message_kind& kind, void* from);
caf::type_erased_value_ptr hold_as_element(const message_kind& kind,
                                           void* from);

} // namespace depositd
