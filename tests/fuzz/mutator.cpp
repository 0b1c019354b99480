#include "tests/fuzz/mutator.hpp"

#include <algorithm>

namespace depositd::fuzz {

namespace {

/// Bytes at which readers turn.
const std::vector<std::string> pieces{
  "\r\n",
  "\n",
  "\n\n",
  "--",
  "\"",
  "\\",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "<",
  ">",
  "&",
  "&amp;",
  "<!--",
  "-->",
  "]]>",
  "<![CDATA[",
  "|",
  "#",
  "%",
  "%00",
  "=",
  ";",
  " ",
  "\t",
  "0",
  "-1",
  "1e999",
  "\xff",
  "\xc0\x80",
  "\xed\xa0\x80",
  "\\ud800",
  "65536",
  "4294967296",
  "18446744073709551616",
  std::string(1, '\0'),
  std::string(4, '\0'),
  "\x7f\xff\xff\xff",
  "\xff\xff\xff\xff",
  "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"};

} // namespace

mutator::mutator(std::uint64_t seed, std::vector<std::string> corpus,
                 std::size_t bytes_max)
  : chance_(seed), corpus_(std::move(corpus)), bytes_max_(bytes_max) {
  corpus_.emplace_back();
}

std::size_t mutator::below(std::size_t n) {
  return static_cast<std::size_t>(chance_.bits() % std::max<std::size_t>(n, 1));
}

void mutator::insert(std::string& x) {
  const auto& piece = pieces[below(pieces.size())];
  const auto at = below(x.size() + 1);
  // Now and then very many: depth and length are where readers give way.
  const auto times = below(40) == 0 ? below(2'000) : 1;
  std::string all;
  for (std::size_t i = 0; i < times; ++i)
    all += piece;
  x.insert(at, all);
}

void mutator::splice(std::string& x) {
  const auto& other = corpus_[below(corpus_.size())];
  const auto from = below(other.size());
  x.insert(below(x.size() + 1),
           other.substr(from, below(other.size() - from + 1)));
}

void mutator::change(std::string& x) {
  const auto at = below(x.size());
  switch (below(8)) {
    case 0:
      return insert(x);
    case 1:
      return splice(x);
    case 2:
      x.resize(at); // cut off
      return;
    case 3:
      x.erase(at, below(x.size() - at + 1));
      return;
    case 4:
      if (!x.empty())
        x[at] = static_cast<char>(chance_.bits());
      return;
    case 5:
      if (!x.empty())
        x[at] = static_cast<char>(x[at] ^ (1 << below(8)));
      return;
    case 6:
      x += x.substr(at, below(200));
      return;
    default:
      if (!x.empty())
        x[at] = static_cast<char>(x[at] + (below(2) == 0 ? 1 : -1));
      return;
  }
}

const std::string& mutator::next() {
  if (made_ < corpus_.size()) {
    current_ = corpus_[made_++];
    return current_;
  }
  ++made_;
  // A few steps away from a seed, or from what came last.
  if (below(4) != 0)
    current_ = corpus_[below(corpus_.size())];
  for (auto steps = below(6) + 1; steps > 0; --steps)
    change(current_);
  if (current_.size() > bytes_max_)
    current_.resize(bytes_max_);
  return current_;
}

} // namespace depositd::fuzz
