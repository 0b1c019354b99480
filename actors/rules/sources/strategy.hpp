#pragma once

// From which source the next record comes: small values that nest, read from
// one line of text, for example
//   prefer z else fair(x, limit(100/s, weighted(y:3, w:1)))

#include "messages/values/types.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace depositd::rules {

/// A strategy as it was read.
struct strategy_tree {
  enum class what : std::uint8_t {
    source,   ///< `name`
    others,   ///< fair(*): fair over all that stand nowhere else
    fair,     ///< one each in turn
    weighted, ///< `numbers` of every sum
    priority, ///< the first that has
    prefer,   ///< the same of two, as `prefer X else Y`
    limit,    ///< at most `numbers[0]` per second of its one part
  };
  what is = what::source;
  std::string name;
  std::vector<strategy_tree> parts;
  std::vector<std::uint32_t> numbers;

  friend bool operator==(const strategy_tree&, const strategy_tree&) = default;
};

/// Why a text is no strategy.
struct strategy_error {
  std::size_t column = 1; ///< of the first character of the word, from 1
  std::string reason;

  /// column C: reason
  std::string text() const;
};

inline constexpr std::size_t strategy_bytes_max = 16 * 1024;
inline constexpr std::uint32_t strategy_depth_max = 64;
inline constexpr std::uint32_t strategy_number_max = 1'000'000;

/// Reads a strategy. `is_source` says whether the scheduler has a source of
/// this name.
std::variant<strategy_tree, strategy_error>
parse_strategy(std::string_view text,
               const std::function<bool(std::string_view)>& is_source);

/// The text that all texts of one strategy share; reads as the same tree.
std::string to_string(const strategy_tree& x);

/// Whether the strategy names the source (`*` names none).
bool names_source(const strategy_tree& x, std::string_view source);

// -- at work ------------------------------------------------------------------

/// What would be picked next, and why.
struct strategy_explanation {
  std::optional<std::size_t> next; ///< none has any
  std::string why;                 ///< a sentence
  std::vector<std::size_t> picks;  ///< a dry run
};

/// A strategy with whose turn it is. Sources are places in the list that it was
/// given.
class strategy {
public:
  strategy(const strategy_tree& tree, std::vector<std::string> sources);

  /// Sources came or went: turns go on as they were.
  void set_sources(std::vector<std::string> sources);

  /// Whose record is next, by how many each source has ready; counts as picked.
  /// Nothing if none that it names has any, or a limit holds them back.
  std::optional<std::size_t> pick(std::span<const std::uint64_t> ready,
                                  micros now_us);

  /// When a limit may let something through that it holds back now; `never`:
  /// nothing is held back.
  micros next_us(std::span<const std::uint64_t> ready, micros now_us) const;

  /// The next picks if nothing comes and time goes on, at most `count`.
  strategy_explanation explain(std::span<const std::uint64_t> ready,
                               micros now_us, std::size_t count) const;

private:
  struct node {
    strategy_tree::what is = strategy_tree::what::source;
    std::string text;               ///< canonical, for people
    std::size_t source = 0;         ///< of `source`; or none
    std::vector<std::size_t> parts; ///< nodes; of `others`: sources
    std::vector<std::int64_t> weights;
    std::vector<std::int64_t> behind; ///< weighted: what each is owed
    std::size_t turn = 0;             ///< fair: the part after the last one
    std::int64_t rate = 0;            ///< limit: records per second
    std::int64_t tokens = 0;          ///< millionths of a record
    micros filled_us = never;         ///< when they were counted; never: full
  };

  using counts = std::span<const std::uint64_t>;
  std::size_t compile(const strategy_tree& x);
  void resolve();
  bool has(std::size_t at, counts ready, micros now_us) const;
  bool would_have(std::size_t at, counts ready) const;
  bool part_has(const node& x, std::size_t part, counts ready,
                micros now_us) const;
  std::size_t choose(const node& x, counts ready, micros now_us) const;
  std::size_t take(std::size_t at, counts ready, micros now_us);
  void settle_weights(node& x, std::size_t chosen, counts ready, micros now_us);
  void say_why(std::size_t at, counts ready, micros now_us,
               std::string& out) const;
  const std::string& part_text(const node& x, std::size_t part) const;

  std::vector<std::string> sources_;
  std::vector<node> nodes_; ///< the first is the whole
};

} // namespace depositd::rules
