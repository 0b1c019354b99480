#include "actors/rules/sources/strategy.hpp"
#include "messages/values/sources.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace depositd::rules {

namespace {

using kind = strategy_tree::what;

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Reads one text. The first thing that does not fit ends it.
class strategy_parser {
public:
  strategy_parser(std::string_view text,
                  const std::function<bool(std::string_view)>& is_source)
    : text_(text), is_source_(is_source) {
    step();
  }

  std::variant<strategy_tree, strategy_error> all() {
    auto out = read_strategy(0);
    if (!error_ && !word_.empty())
      refuse("nothing more may follow");
    if (error_)
      return *error_;
    return out;
  }

private:
  /// The next word, number or sign; empty at the end.
  void step() {
    begin_ = std::min(text_.find_first_not_of(" \t\r\n", end_), text_.size());
    end_ = begin_;
    while (end_ < text_.size() && in_word(text_[end_]))
      ++end_;
    if (end_ == begin_ && end_ < text_.size()) {
      ++end_;
      if (text_.substr(begin_, 2) == "/s"
          && (begin_ + 2 == text_.size() || !in_word(text_[begin_ + 2])))
        ++end_;
    }
    word_ = text_.substr(begin_, end_ - begin_);
  }

  void refuse(std::string reason) {
    if (!error_)
      error_ = {word_.empty() ? text_.size() + 1 : begin_ + 1,
                std::move(reason)};
  }

  bool expect(std::string_view sign) {
    if (!error_ && word_ != sign)
      refuse("expected " + std::string{sign}
             + (word_.empty() ? ", but the text ends" : ""));
    if (error_)
      return false;
    step();
    return true;
  }

  void read_number(strategy_tree& to) {
    const bool digits = !word_.empty() && word_.size() <= 7
                        && std::all_of(word_.begin(), word_.end(), [](char c) {
                             return c >= '0' && c <= '9';
                           });
    const auto number = digits ? std::stoul(std::string{word_}) : 0;
    if (number < 1 || number > strategy_number_max)
      return refuse("expected a whole number from 1 to "
                    + std::to_string(strategy_number_max));
    to.numbers.push_back(static_cast<std::uint32_t>(number));
    step();
  }

  strategy_tree read_source() {
    if (word_.empty() || !in_word(word_[0]) || is_strategy_word(word_))
      refuse(word_.empty() ? "a strategy is missing"
                           : "expected a source or a strategy");
    else if (!is_source_(word_))
      refuse("the scheduler has no source " + std::string{word_.substr(0, 64)});
    else if (!named_.insert(std::string{word_}).second)
      refuse("source " + std::string{word_} + " may stand only once");
    strategy_tree out{kind::source, std::string{word_}, {}, {}};
    if (!error_)
      step();
    return out;
  }

  /// "(" was read: parts up to ")", each with its number if it is weighted.
  void read_parts(strategy_tree& to, std::uint32_t depth) {
    for (;;) {
      to.parts.push_back(read_strategy(depth));
      if (to.is == kind::weighted && expect(":"))
        read_number(to);
      if (error_)
        return;
      if (word_ != ",")
        break;
      step();
    }
    if (word_ != ")")
      return refuse("expected , or )");
    step();
  }

  strategy_tree read_fair(std::uint32_t depth) {
    strategy_tree out{kind::fair, {}, {}, {}};
    if (!expect("("))
      return out;
    if (word_ != "*") {
      read_parts(out, depth);
      return out;
    }
    if (std::exchange(others_, true))
      refuse("* may stand only once");
    out.is = kind::others;
    step();
    expect(")");
    return out;
  }

  strategy_tree read_strategy(std::uint32_t depth) {
    strategy_tree out;
    if (error_)
      return out;
    if (depth >= strategy_depth_max) {
      refuse("nested deeper than " + std::to_string(strategy_depth_max));
      return out;
    }
    if (!is_strategy_word(word_) || word_ == "else")
      return read_source();
    const auto word = word_;
    step();
    if (word == "fair")
      return read_fair(depth + 1);
    if (word == "prefer") {
      out.is = kind::prefer;
      out.parts.push_back(read_strategy(depth + 1));
      if (expect("else"))
        out.parts.push_back(read_strategy(depth + 1));
      return out;
    }
    out.is = word == "weighted"   ? kind::weighted
             : word == "priority" ? kind::priority
                                  : kind::limit;
    if (!expect("("))
      return out;
    if (out.is != kind::limit) {
      read_parts(out, depth + 1);
      return out;
    }
    read_number(out);
    if (expect("/s") && expect(","))
      out.parts.push_back(read_strategy(depth + 1));
    expect(")");
    return out;
  }

  std::string_view text_;
  const std::function<bool(std::string_view)>& is_source_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string_view word_;
  std::optional<strategy_error> error_;
  std::set<std::string, std::less<>> named_;
  bool others_ = false;
};

} // namespace

std::string strategy_error::text() const {
  return "column " + std::to_string(column) + ": " + reason;
}

std::variant<strategy_tree, strategy_error>
parse_strategy(std::string_view text,
               const std::function<bool(std::string_view)>& is_source) {
  if (text.size() > strategy_bytes_max)
    return strategy_error{strategy_bytes_max + 1,
                          "longer than " + std::to_string(strategy_bytes_max)
                            + " characters"};
  return strategy_parser{text, is_source}.all();
}

std::string to_string(const strategy_tree& x) {
  const auto list = [&x](const char* word) {
    std::string out = word;
    for (std::size_t i = 0; i < x.parts.size(); ++i) {
      out += i == 0 ? "(" : ", ";
      out += to_string(x.parts[i]);
      if (x.is == kind::weighted)
        out += ":" + std::to_string(x.numbers[i]);
    }
    return out + ")";
  };
  switch (x.is) {
    case kind::source:
      return x.name;
    case kind::others:
      return "fair(*)";
    case kind::fair:
      return list("fair");
    case kind::weighted:
      return list("weighted");
    case kind::priority:
      return list("priority");
    case kind::prefer:
      return "prefer " + to_string(x.parts[0]) + " else "
             + to_string(x.parts[1]);
    case kind::limit:
      return "limit(" + std::to_string(x.numbers[0]) + "/s, "
             + to_string(x.parts[0]) + ")";
  }
  return {};
}

bool names_source(const strategy_tree& x, std::string_view source) {
  return (x.is == kind::source && x.name == source)
         || std::any_of(x.parts.begin(), x.parts.end(),
                        [source](const strategy_tree& part) {
                          return names_source(part, source);
                        });
}

} // namespace depositd::rules
