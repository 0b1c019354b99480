#pragma once

// Reading a document takes a multiple of its bytes, which a depositor decides.
// Here that is counted against the one budget of memory (docs/decisions/0024),
// and whoever finds no room waits with the slot that it has.

#include "adapters/processing/crossref/deposit_xml.hpp"
#include "messages/values/memory_budget.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace depositd::crossref {

/// What a document of so many bytes takes at most while it is worked on, its
/// own bytes and the answer among it. Measured: text and elements take three
/// times their bytes, a DOI that inherits long facts of its journal 3,700 bytes
/// in all, wherever it is kept; and none is written in less than 120.
constexpr std::uint64_t parsing_cost(std::uint64_t document_bytes) {
  // Of lengths that others say; beyond it nothing is real.
  const auto bytes = std::min(document_bytes, std::uint64_t{1} << 40);
  const auto dois = std::min(bytes / 120, std::uint64_t{dois_max});
  return 4 * bytes + 4'096 * (1 + dois);
}

/// Any thread. Those who read at one time are in it together.
class parsing_room {
public:
  explicit parsing_room(std::shared_ptr<memory_budget> of);
  parsing_room(const parsing_room&) = delete;
  parsing_room& operator=(const parsing_room&) = delete;

  /// Room for one document, until it is destroyed.
  class place {
  public:
    ~place();
    place(place&& other) noexcept;
    place& operator=(place&&) = delete;

    /// The document is really so long: counted, whether there is room or not.
    void grow_to(std::uint64_t document_bytes) noexcept;

  private:
    friend parsing_room;
    place(parsing_room* of, std::uint64_t bytes) : of_(of), bytes_(bytes) {
      // nop
    }

    parsing_room* of_;
    std::uint64_t bytes_; ///< of the budget
  };

  /// Blocks while there is no room and others read; who came first enters
  /// first. Whoever is alone enters in any case, so a document that the
  /// budget never has room for, or a budget that doors use up, stops nothing:
  /// one document at a time may go beyond it.
  place enter(std::uint64_t document_bytes);

  /// How many wait now.
  std::uint64_t waiting() const;

private:
  void leave(std::uint64_t bytes) noexcept;

  const std::shared_ptr<memory_budget> budget_;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::uint64_t came_ = 0;    ///< so far
  std::uint64_t entered_ = 0; ///< of them
  std::uint64_t left_ = 0;    ///< of those
};

} // namespace depositd::crossref
