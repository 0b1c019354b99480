#pragma once

#include "actors/rules/ledger/ledger.hpp"

#include <cstdint>

namespace depositd::rules {

/// An item as a ledger keeps it, with or without its body in memory.
struct stored_item {
  item_id id = 0;
  micros received_us = 0;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;
  body_location place;
  body_bytes body;
  std::uint32_t attempt = 0; ///< hand-outs that count
  std::uint8_t priority = 0;
  size_class cls = 0;
  body_kind kind = body_kind::inline_bytes;
};

static_assert(sizeof(stored_item) == 72, "a million of them are kept");

/// An item of the projection, without its body.
stored_item stored(const item_row& x);

} // namespace depositd::rules
