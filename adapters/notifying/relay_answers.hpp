#pragma once

// What a mail relay says of each recipient, as curl overhears it.

#include <curl/curl.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace depositd {

/// What the relay said. Of several recipients curl tells the last answer alone;
/// who is to come again may be before one who is not.
struct relay_answers {
  bool not_now = false;             ///< to anything
  std::size_t asked = 0;            ///< recipients
  std::vector<std::size_t> put_off; ///< of these, by their numbers

  /// For CURLOPT_DEBUGFUNCTION; `to` is one of these.
  static int note(CURL*, curl_infotype what, char* data, std::size_t size,
                  void* to) {
    auto& self = *static_cast<relay_answers*>(to);
    const std::string_view line{data, size};
    if (what == CURLINFO_HEADER_OUT && line.starts_with("RCPT TO:")) {
      ++self.asked;
      self.about_recipient_ = true;
    } else if (what == CURLINFO_HEADER_OUT && line.starts_with("DATA")) {
      self.about_recipient_ = false;
    } else if (what == CURLINFO_HEADER_IN && line.starts_with('4')) {
      self.note_not_now();
    }
    return 0;
  }

private:
  /// An answer may have several lines.
  void note_not_now() {
    not_now = true;
    if (about_recipient_ && (put_off.empty() || put_off.back() != asked - 1))
      put_off.push_back(asked - 1);
  }

  bool about_recipient_ = false;
};

} // namespace depositd
