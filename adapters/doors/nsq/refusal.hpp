#pragma once

// Why a client is not served, in nsqd's own words.

#include <string>
#include <string_view>
#include <utility>

namespace depositd::nsq {

struct refusal {
  std::string text;  ///< of the error frame: the code and a sentence
  bool fatal = true; ///< the connection ends with it

  static refusal of(std::string_view code, std::string_view sentence) {
    return {std::string{code} + ' ' + std::string{sentence}};
  }

  static refusal invalid(std::string_view sentence) {
    return of("E_INVALID", sentence);
  }

  friend bool operator==(const refusal&, const refusal&) = default;
};

/// A text as Go's `%q` prints it.
std::string quoted(std::string_view text);

} // namespace depositd::nsq
