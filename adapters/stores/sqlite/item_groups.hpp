#pragma once

// Live items by user. They are stored by id, which makes writing cheap; a sort
// in memory once at start is three times as fast as one in SQLite.

#include "messages/values/rows.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace depositd::sqlite {

/// Takes rows in the order of their ids and shows them grouped by user, by id
/// inside a user. Holds about 100 bytes per item meanwhile.
class item_groups {
public:
  /// Expects about this many rows.
  explicit item_groups(std::uint64_t count);

  void add(const item_row& row);

  /// Users in the order in which they first came.
  void show(const std::function<void(const item_row&)>& show) const;

private:
  /// Numbers of names: there are few, and they repeat.
  class names {
  public:
    std::uint32_t number_of(const std::string& name);
    const std::string& operator[](std::uint32_t number) const {
      return list_[number];
    }
    std::size_t size() const noexcept {
      return list_.size();
    }

  private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> list_;
    std::uint32_t last_ = 0;
  };

  struct packed {
    item_id id;
    std::uint64_t size;
    micros received_us;
    std::uint64_t digest;
    body_location place;
    micros available_us;
    claim_token token;
    micros deadline_us;
    std::uint32_t queue;
    std::uint32_t user;
    std::uint32_t processor;
    std::uint32_t attempt;
    std::uint8_t priority;
    body_kind kind;
    item_state state;
    bool local;
  };

  std::vector<packed> rows_;
  std::vector<std::uint32_t> rows_of_user_;
  names queues_;
  names users_;
  names processors_;
};

} // namespace depositd::sqlite
