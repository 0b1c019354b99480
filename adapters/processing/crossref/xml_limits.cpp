#include "adapters/processing/crossref/xml_limits.hpp"

#include "adapters/processing/crossref/text.hpp"

#include <algorithm>
#include <vector>

namespace depositd::crossref {

namespace {

constexpr auto npos = std::string_view::npos;

/// Walks over the tags of a text. Where the text stops being XML it stops too:
/// the parser does not get any further either.
class tag_walk {
public:
  tag_walk(std::string_view text, const xml_limits& limits)
    : text_(text), limits_(limits) {
    // nop
  }

  caf::error run() {
    while ((at_ = text_.find('<', at_)) != npos) {
      const auto rest = text_.substr(at_);
      if (rest.starts_with("<!--"))
        skip_to("-->", 4);
      else if (rest.starts_with("<![CDATA["))
        skip_to("]]>", 9);
      else if (rest.starts_with("<?"))
        skip_to("?>", 2);
      else if (rest.starts_with("<!"))
        return {};
      else if (rest.starts_with("</"))
        end_tag();
      else if (auto problem = start_tag())
        return problem;
    }
    return {};
  }

private:
  void skip_to(std::string_view mark, std::size_t ahead) {
    const auto found = text_.find(mark, at_ + ahead);
    at_ = found == npos ? text_.size() : found + mark.size();
  }

  void end_tag() {
    skip_to(">", 2);
    if (namespaces_.empty())
      return;
    in_scope_ -= namespaces_.back();
    namespaces_.pop_back();
  }

  caf::error refuse(std::string_view what, std::size_t limit) {
    return caf::make_error(ec::too_large,
                           at_offset(text_, at_, what) + std::to_string(limit));
  }

  caf::error start_tag() {
    std::size_t attributes = 0;
    std::size_t declared = 0;
    auto i = at_ + 1;
    while (i < text_.size() && text_[i] != '>' && text_[i] != '<') {
      const auto c = text_[i];
      if (is_blank(c) && text_.substr(i + 1).starts_with("xmlns")) {
        ++declared;
      } else if (c == '"' || c == '\'') {
        if (++attributes > limits_.attributes_max)
          return refuse("more attributes in one element than ",
                        limits_.attributes_max);
        i = std::min(text_.find(c, i + 1), text_.size());
      }
      ++i;
    }
    if (namespaces_.size() >= limits_.depth_max)
      return refuse("elements nested deeper than ", limits_.depth_max);
    if (in_scope_ + declared > limits_.namespaces_max)
      return refuse("more namespaces in scope than ", limits_.namespaces_max);
    if (i < text_.size() && text_[i] == '>' && text_[i - 1] != '/') {
      namespaces_.push_back(declared);
      in_scope_ += declared;
    }
    at_ = std::min(i, text_.size());
    return {};
  }

  std::string_view text_;
  const xml_limits& limits_;
  std::size_t at_ = 0;
  std::vector<std::size_t> namespaces_; ///< declared by each open element
  std::size_t in_scope_ = 0;
};

} // namespace

std::string at_offset(std::string_view text, std::size_t offset,
                      std::string_view what) {
  const auto before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n');
  const auto column = start == npos ? before.size() + 1 : before.size() - start;
  std::string out = "line " + std::to_string(line);
  out += ", column " + std::to_string(column) + ": ";
  out += what;
  return out;
}

caf::error check_xml_limits(std::string_view text, const xml_limits& limits) {
  return tag_walk{text, limits}.run();
}

} // namespace depositd::crossref
