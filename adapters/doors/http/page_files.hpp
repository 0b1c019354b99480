#pragma once

// Pages that are part of the program: their files, and how they are sent.

#include "adapters/doors/http/router.hpp"

#include <string_view>
#include <vector>

namespace depositd::http {

/// A file as `depositd_embed` (cmake) puts it into a library.
struct embedded_file {
  std::string_view path; ///< its name, without folders
  std::string_view content_type;
  std::string_view etag; ///< with its quotes
  std::string_view bytes;
  std::string_view gzip; ///< the same, packed
};

/// Whether the client says that it takes this, going by Accept-Encoding.
bool takes_gzip(const request& from);

/// The file, packed if the client takes that; 304 if the client has it. Nothing
/// of others, nothing inline and no frame may be part of the page.
response page_file_answer(const embedded_file& file, const request& from);

/// GET INDEX -> index.html, GET FOLDER/NAME -> that file, or `absent` if there
/// is none. `files` stay.
void add_page_files(router& routes, std::string_view index,
                    std::string_view folder,
                    const std::vector<embedded_file>& files,
                    response absent);

} // namespace depositd::http
