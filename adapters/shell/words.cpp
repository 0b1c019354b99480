#include "adapters/shell/words.hpp"

namespace depositd::shell {

namespace {

class splitter {
public:
  void take(char c) {
    if (escaped_) {
      word_ += c;
      escaped_ = false;
    } else if (c == '\\' && quote_ != '\'') {
      escaped_ = true;
      started_ = true;
    } else if (quote_ != 0) {
      if (c == quote_)
        quote_ = 0;
      else
        word_ += c;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
      started_ = true;
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else {
      word_ += c;
      started_ = true;
    }
  }

  void end_word() {
    if (started_)
      words.push_back(std::move(word_));
    word_.clear();
    started_ = false;
  }

  bool open() const {
    return quote_ != 0 || escaped_;
  }

  std::vector<std::string> words;

private:
  std::string word_;
  char quote_ = 0;
  bool escaped_ = false;
  bool started_ = false; ///< '' is a word too
};

} // namespace

caf::expected<std::vector<std::string>> split_words(std::string_view line) {
  if (line.size() > line_bytes_max)
    return caf::make_error(ec::too_large,
                           std::string{"the line is longer than 64 KiB"});
  splitter out;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7f)
      return caf::make_error(
        ec::malformed, std::string{"the line contains control characters"});
    out.take(c);
  }
  if (out.open())
    return caf::make_error(ec::malformed, std::string{"a quote is not closed"});
  out.end_word();
  return std::move(out.words);
}

std::vector<std::string> split_names(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const auto& text : texts) {
    std::string name;
    for (const char c : text + ",") {
      if (c != ',' && c != ' ') {
        name += c;
      } else if (!name.empty()) {
        out.push_back(std::move(name));
        name.clear();
      }
    }
  }
  return out;
}

} // namespace depositd::shell
