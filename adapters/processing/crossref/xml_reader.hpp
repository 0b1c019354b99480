#pragma once

// Reads XML of unknown origin: no DOCTYPE, no entities but the five of XML, no
// file and no network access, within limits. Elements reach the caller one by
// one; no tree is built.

#include "adapters/processing/crossref/xml_limits.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct _xmlParserCtxt; // of libxml2

namespace depositd::crossref {

/// Views into the parser: only valid during the call that shows them.
struct xml_element {
  std::string_view name; ///< without prefix
  std::string_view namespace_uri;
  /// Without prefix; only those in no namespace.
  std::vector<std::pair<std::string_view, std::string>> attributes;

  /// The value of an attribute; empty if there is none.
  std::string_view attribute(std::string_view wanted) const;
};

/// What a reader does with the elements. An error ends the reading; the reader
/// puts line and column in front of its text.
class xml_handler {
public:
  virtual ~xml_handler() = default;

  virtual caf::error start_element(const xml_element& element) = 0;

  virtual caf::error end_element(std::string_view name,
                                 std::string_view namespace_uri) = 0;

  /// Part of the character data of the innermost open element.
  virtual caf::error text(std::string_view part) = 0;
};

/// Reads a whole document given in UTF-8 (see `decode_xml_text`).
/// `ec::malformed` with line and column if it is not well formed,
/// `ec::too_large` if it is beyond a limit, else what the handler says. Blocks
/// for as long as the parsing takes; any thread may call.
caf::error read_xml_text(const std::string& text, const xml_limits& limits,
                         xml_handler& handler);

/// Makes libxml2 refuse every external entity of this process, but for files
/// of the folder that a `local_files_only` of the same thread allows. Called
/// by all that parse here; free after the first time.
void secure_xml_parser();

/// Sets how a document of at most `xml_limits` is parsed: none of NOENT,
/// DTDLOAD, DTDATTR and XINCLUDE, each of which opens a door. The library's own
/// limits are off, as they are narrower than ours and end documents of more
/// than 10,000,000 bytes wherever there is much of one thing, if only blanks at
/// the end. Nothing is kept but names, which stay bounded.
void read_within_own_limits(_xmlParserCtxt* context);

/// While it lives, this thread's parser may read files of one folder, by their
/// base name whatever address was asked for. Only for schemas, never for
/// documents.
class local_files_only {
public:
  explicit local_files_only(std::string folder);
  ~local_files_only();
  local_files_only(const local_files_only&) = delete;
  local_files_only& operator=(const local_files_only&) = delete;
};

/// The text as one line of at most 300 bytes, for messages.
std::string one_line(std::string_view text);

} // namespace depositd::crossref
