#pragma once

// The body of a form: multipart/form-data or urlencoded.

#include "adapters/doors/http/message.hpp"
#include "messages/values/errors.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::http {

/// A field of a form, or a file in it.
struct form_part {
  std::string name;
  bool has_file_name = false;
  std::string file_name;    ///< verbatim, whatever it contains
  std::string content_type; ///< empty: none given
  std::string_view data;    ///< valid as long as the form and its request
  bool closed = true;       ///< false: ended by the end of the body only
};

/// Whether the part is a file. What a browser sends where nobody chose one has
/// neither a name nor bytes.
inline bool is_file(const form_part& x) {
  return x.has_file_name && !(x.file_name.empty() && x.data.empty());
}

struct form {
  std::vector<form_part> parts;
  std::deque<std::string> storage; ///< of decoded values
  bool multipart = false;          ///< else none of the parts can be a file

  /// The first part of this name without a file name, null if there is none.
  const form_part* field(std::string_view name) const;
};

inline constexpr std::size_t form_parts_max = 256;
inline constexpr std::size_t urlencoded_bytes_max = 64 * 1024;
inline constexpr std::size_t boundary_bytes_max = 70;

/// Reads the body by its content type. A last field that is not closed ends
/// with the body: one client in use never closes it. `ec::malformed` if there
/// is no part, if no boundary ends a file, or if the body is no form.
caf::expected<form> read_form(const request& from);

/// The same for a multipart body whose boundary is known.
caf::expected<form> read_multipart(std::string_view body,
                                   std::string_view boundary);

} // namespace depositd::http
