#pragma once

// Messages that were lent: what the other side wants to hear when their records
// are applied here.

#include <cstddef>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::sources {

/// Nobody lends more at once: SQS 120,000, EmoDB 20,000.
inline constexpr std::size_t held_messages_max = 200'000;

class held_messages {
public:
  struct one {
    std::string id;
    std::string receipt;
  };

  /// Beyond `count_max` the oldest is forgotten: it will come again.
  explicit held_messages(std::size_t count_max = held_messages_max);

  held_messages(const held_messages&) = delete;
  held_messages& operator=(const held_messages&) = delete;

  /// A message with the record's key. The receipt replaces that of an earlier
  /// delivery.
  void hold(const std::string& key, const std::string& id, std::string receipt);

  /// All messages of these keys, each once.
  std::vector<one> of(const std::vector<std::string>& keys) const;

  void forget(const std::string& id);

  std::size_t size() const noexcept {
    return by_id_.size();
  }

private:
  using age_list = std::list<const std::string*>;

  struct entry {
    std::string key;
    std::string receipt;
    age_list::iterator age;
  };

  using id_map = std::unordered_map<std::string, entry>;

  void drop(id_map::iterator at);

  const std::size_t count_max_;
  id_map by_id_;
  age_list by_age_; ///< ids, the longest known first
  /// Keys and ids are those of `by_id_`, which does not move them.
  std::set<std::pair<std::string_view, const std::string*>> by_key_;
};

} // namespace depositd::sources
