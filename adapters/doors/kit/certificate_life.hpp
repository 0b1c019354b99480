#pragma once

// How long a certificate in use is good for. Nobody need be surprised by the
// end of one that was not renewed.

#include <atomic>
#include <cstdint>
#include <string>

namespace depositd::kit {

/// In seconds since 1970.
struct validity {
  std::int64_t from = 0;
  std::int64_t until = 0; ///< 0: not known
};

/// Of a file in PEM form, of which whoever checks it needs all certificates:
/// the one that ends first counts. All zero if it holds none.
validity validity_of(const std::string& file);

/// `due`: whoever renews it has missed the time. That is when a fifth of its
/// life is left, or a fortnight: those that live for a day are well renewed by
/// then, and those of a year are not yet urgent.
enum class certificate_age : std::uint8_t { fine, due, over };

/// `fine` if it is not known when it ends.
certificate_age age_at(const validity& x, std::int64_t now_s);

/// Of one that is in use. One thread, unless said otherwise.
class certificate_life {
public:
  /// `use` names it in the log and in metrics: "http".
  explicit certificate_life(std::string use);

  /// The file is in use from now on; empty: none is.
  void take(const std::string& file);

  /// Says in the log that it is due, and that it is over, each once:
  /// `certificate_due` and `certificate_over`.
  void look(std::int64_t now_s);

  const std::string& use() const {
    return use_;
  }

  /// When it ends, in seconds since 1970; 0: not known. Any thread.
  std::int64_t until() const {
    return until_;
  }

  /// Whether it is due, or over, as of the last look. Any thread.
  bool is_due() const {
    return age_ != certificate_age::fine;
  }

private:
  const std::string use_;
  std::string file_;
  validity valid_;
  std::atomic<std::int64_t> until_{0};
  std::atomic<certificate_age> age_{certificate_age::fine};
};

/// Now, for `look`.
std::int64_t seconds_since_1970();

} // namespace depositd::kit
