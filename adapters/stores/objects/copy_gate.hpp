#pragma once

// Lets the objects of a folder be copied as they were at one moment while
// others go on to store: what is stored later is known, and left out.

#include "messages/values/errors.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace depositd::ocfl {

/// Between those who store or remove and the one who copies. May be used from
/// several threads.
class copy_gate {
public:
  /// Somebody removes an object, as long as this lives.
  class removal {
  public:
    explicit removal(copy_gate& gate);
    removal(const removal&) = delete;
    removal& operator=(const removal&) = delete;
    ~removal();

  private:
    copy_gate& gate_;
  };

  /// The last version of an object; 0: there is none.
  using head_of = std::function<caf::expected<std::uint32_t>()>;

  // -- those who store ------------------------------------------------------

  /// Before a version is put together. Waits from `hold` to `let_go`. While a
  /// copy is being made `head` is asked, so that the copy ends with it; its
  /// error is the answer.
  caf::error begin_version(const std::string& object, const head_of& head);

  // -- the one who copies ---------------------------------------------------

  /// Begins a copy: whoever begins to store waits, and so does whoever removes,
  /// until the end of the copy. Waits for removals that have begun; versions
  /// that have begun go on. `ec::already_exists` while another is being made,
  /// `ec::draining` after `stop`.
  caf::error hold();

  /// Those who wait to store go on.
  void let_go();

  /// How many of an object's versions belong to the copy; `head` was read
  /// before.
  std::uint32_t copied_of(const std::string& object, std::uint32_t head);

  /// The copy is made, or given up.
  void end();

  /// The program ends: nobody waits any more, and copies are given up.
  void stop();
  bool stopped() const;

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool copying_ = false;
  bool held_ = false;
  bool stopped_ = false;
  std::size_t removals_ = 0;
  /// Objects that got a version since `hold`, with their last one before.
  std::map<std::string, std::uint32_t> before_;
};

} // namespace depositd::ocfl
