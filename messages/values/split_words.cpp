#include "messages/values/split_words.hpp"

#include <optional>
#include <utility>

namespace depositd {

namespace {

caf::error malformed_line(std::string text) {
  return caf::make_error(ec::malformed, std::move(text));
}

} // namespace

caf::expected<std::vector<std::string>> split_words(std::string_view line) {
  if (line.size() > line_bytes_max)
    return caf::make_error(ec::too_large,
                           std::string{"the line is longer than 64 KiB"});
  std::vector<std::string> out;
  std::optional<std::string> word; // '' is one too
  char quote = 0;
  bool escaped = false;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7f)
      return malformed_line("the line contains control characters");
    if ((c == ' ' || c == '\t') && !quote && !escaped) {
      if (word)
        out.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word)
      word.emplace();
    if (std::exchange(escaped, false))
      *word += c;
    else if (c == '\\' && quote != '\'')
      escaped = true;
    else if (c == quote)
      quote = 0;
    else if (!quote && (c == '"' || c == '\''))
      quote = c;
    else
      *word += c;
  }
  if (quote || escaped)
    return malformed_line("a quote is not closed");
  if (word)
    out.push_back(std::move(*word));
  return out;
}

} // namespace depositd
