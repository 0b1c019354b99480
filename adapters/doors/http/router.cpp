#include "adapters/doors/http/router.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace depositd::http {

struct router::node {
  std::map<std::string, std::unique_ptr<node>, std::less<>> literals;
  std::unique_ptr<node> any;
  std::unique_ptr<node> rest; ///< whatever follows
  std::map<std::string, route, std::less<>> methods;
};

router::router() : root_(std::make_unique<node>()) {
  // nop
}

router::~router() = default;
router::router(router&&) noexcept = default;
router& router::operator=(router&&) noexcept = default;

void router::add(std::string method, std::string_view pattern, handler answer,
                 route_options options) {
  auto* at = root_.get();
  for (auto& segment : split_path(pattern)) {
    const bool any =
      segment.size() > 1 && segment.front() == '{' && segment.back() == '}';
    auto& next = !any                        ? at->literals[std::move(segment)]
                 : segment.ends_with("...}") ? at->rest
                                             : at->any;
    if (!next)
      next = std::make_unique<node>();
    at = next.get();
  }
  auto name = method + ' ' + std::string{pattern};
  at->methods[std::move(method)] = {std::move(answer), std::move(options),
                                    std::move(name)};
}

namespace {

// Literal branches first; a branch without any method at its end is no match.
template <class Node>
const Node* walk(const Node& at, const std::vector<std::string>& segments,
                 std::size_t depth, std::vector<std::string>& captured) {
  if (depth == segments.size())
    return at.methods.empty() ? nullptr : &at;
  const auto literal = at.literals.find(segments[depth]);
  if (literal != at.literals.end())
    if (const auto* end = walk(*literal->second, segments, depth + 1, captured))
      return end;
  if (at.any) {
    captured.push_back(segments[depth]);
    if (const auto* end = walk(*at.any, segments, depth + 1, captured))
      return end;
    captured.pop_back();
  }
  if (!at.rest)
    return nullptr;
  auto& all = captured.emplace_back(segments[depth]);
  while (++depth < segments.size())
    all.append("/").append(segments[depth]);
  return at.rest.get();
}

template <class Node>
void gather(const Node& from, std::vector<const route*>& to) {
  for (const auto& [method, one] : from.methods)
    to.push_back(&one);
  for (const auto& [segment, next] : from.literals)
    gather(*next, to);
  for (const auto* next : {from.any.get(), from.rest.get()})
    if (next != nullptr)
      gather(*next, to);
}

} // namespace

std::vector<const route*> router::all() const {
  std::vector<const route*> out;
  gather(*root_, out);
  std::sort(out.begin(), out.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return out;
}

router::match router::find(std::string_view method,
                           const std::vector<std::string>& segments) const {
  match out;
  const auto* end = walk(*root_, segments, 0, out.captured);
  if (!end)
    return out;
  auto found = end->methods.find(method);
  if (found == end->methods.end() && method == "HEAD") {
    found = end->methods.find("GET");
    if (found != end->methods.end() && !found->second.options.head)
      found = end->methods.end();
  }
  if (found != end->methods.end()) {
    out.found = &found->second;
    return out;
  }
  for (const auto& x : end->methods) {
    if (!out.allow.empty())
      out.allow += ", ";
    out.allow += x.first;
    if (x.first == "GET" && x.second.options.head
        && !end->methods.count("HEAD"))
      out.allow += ", HEAD";
  }
  return out;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> out;
  if (!path.empty() && path.front() == '/')
    path.remove_prefix(1);
  if (!path.empty() && path.back() == '/')
    path.remove_suffix(1);
  if (path.empty())
    return out;
  for (;;) {
    const auto end = std::min(path.find('/'), path.size());
    const auto segment = path.substr(0, end);
    out.push_back(percent_decode(segment.substr(0, segment.find(';'))));
    if (end == path.size())
      return out;
    path.remove_prefix(end + 1);
  }
}

} // namespace depositd::http
