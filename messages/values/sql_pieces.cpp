#include "messages/values/sql_pieces.hpp"

#include <algorithm>

namespace depositd {

namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '_'
         || static_cast<unsigned char>(c) >= 0x80;
}

/// End of what begins at `at` and is closed by `close`; the end of the text if
/// nothing closes it.
std::size_t behind(std::string_view text, std::size_t at,
                   std::string_view close) {
  const auto end = text.find(close, at);
  return end == text.npos ? text.size() : end + close.size();
}

/// End of a text that begins at `at`, behind its quote, and has escapes, as
/// PostgreSQL's E'it\'s'.
std::size_t behind_escapes(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const auto rest = text.substr(at);
    if (rest[0] == '\\' || rest.starts_with("''"))
      at += 2;
    else if (rest[0] == '\'')
      return at + 1;
    else
      ++at;
  }
  return text.size();
}

/// Whether the quote at `at` has an E in front that is a word of its own.
bool has_escapes(std::string_view text, std::size_t at) {
  return at > 0 && (text[at - 1] == 'E' || text[at - 1] == 'e')
         && (at == 1 || !is_word_character(text[at - 2]));
}

/// End of a comment that begins at `at`; comments may stand in each other.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  for (std::size_t depth = 0; at < text.size();) {
    const auto rest = text.substr(at);
    if (rest.starts_with("/*")) {
      ++depth;
      at += 2;
    } else if (!rest.starts_with("*/")) {
      ++at;
    } else if (at += 2; --depth == 0) {
      return at;
    }
  }
  return text.size();
}

/// `$$` or `$tag$` at `at`; empty if there is none.
std::string_view dollar_quote(std::string_view text, std::size_t at) {
  if (at > 0 && is_word_character(text[at - 1]))
    return {};
  auto end = at + 1;
  while (end < text.size() && is_word_character(text[end]))
    ++end;
  const bool number = end > at + 1 && text[at + 1] >= '0'
                      && text[at + 1] <= '9'; // $1 is a parameter
  if (end == text.size() || text[end] != '$' || number)
    return {};
  return text.substr(at, end + 1 - at);
}

/// Where the text goes on behind what must not be looked into; `at` if nothing
/// of the kind begins there.
std::size_t skip_quoted(std::string_view text, std::size_t at) {
  const auto rest = text.substr(at);
  if (rest[0] == '\'' && has_escapes(text, at))
    return behind_escapes(text, at + 1);
  // A doubled quote ends one text and begins another at once.
  if (rest[0] == '\'' || rest[0] == '"' || rest[0] == '`')
    return behind(text, at + 1, rest.substr(0, 1));
  if (rest.starts_with("--"))
    return behind(text, at, "\n");
  if (rest.starts_with("/*"))
    return behind_comment(text, at);
  if (rest.starts_with("::"))
    return at + 2;
  if (rest[0] == '$')
    if (const auto quote = dollar_quote(text, at); !quote.empty())
      return behind(text, at + quote.size(), quote);
  return at;
}

} // namespace

std::vector<sql_piece> sql_pieces(std::string_view query) {
  std::vector<sql_piece> out;
  std::string text;
  const auto place = [&](std::size_t at, std::string_view word) {
    const auto end = at + word.size();
    return query.substr(at).starts_with(word)
           && (end == query.size() || !is_word_character(query[end]));
  };
  const auto bind = [&](sql_piece::what what) {
    if (!text.empty())
      out.push_back({sql_piece::what::text, text});
    text.clear();
    out.push_back({what, {}});
  };
  for (std::size_t at = 0; at < query.size();) {
    if (const auto end = skip_quoted(query, at); end != at) {
      text += query.substr(at, end - at);
      at = end;
    } else if (place(at, ":limit")) {
      bind(sql_piece::what::limit);
      at += 6;
    } else if (place(at, ":cursor")) {
      bind(sql_piece::what::cursor);
      at += 7;
    } else {
      text += query[at++];
    }
  }
  if (!text.empty())
    out.push_back({sql_piece::what::text, text});
  return out;
}

bool names_place(std::string_view query, sql_piece::what place) {
  const auto pieces = sql_pieces(query);
  return std::any_of(pieces.begin(), pieces.end(),
                     [place](const sql_piece& x) { return x.is == place; });
}

} // namespace depositd
