// Manifests, settings, strategies and other texts that people write.

#include "tests/fuzz/target.hpp"

#include "actors/rules/sources/strategy.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "config/pipelines.hpp"
#include "config/settings.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/trace_context.hpp"

namespace depositd::fuzz {

namespace {

void read_checkm(std::string_view bytes) {
  const auto found = merritt::read_manifest(bytes);
  (void)merritt::judge(found);
  (void)merritt::detect_type("x.checkm", bytes);
  if (found.corrupt())
    return;
  for (const auto& x : found.found.rows)
    promise(!x.fault.empty() || x.line > 0, "a row has a line");
}

void read_strategy(std::string_view bytes) {
  const auto any = [](std::string_view) { return true; };
  const auto found = rules::parse_strategy(bytes, any);
  const auto* tree = std::get_if<rules::strategy_tree>(&found);
  if (tree == nullptr)
    return;
  const auto text = rules::to_string(*tree);
  const auto again = rules::parse_strategy(text, any);
  const auto* same = std::get_if<rules::strategy_tree>(&again);
  promise(same != nullptr, "a strategy's text is a strategy");
  promise(rules::to_string(*same) == text, "and the same one");
}

void read_settings(std::string_view bytes) {
  const auto given = read_yaml(std::string{bytes}, "x.yaml");
  if (given)
    (void)make_settings(*given);
}

void read_stages(std::string_view bytes) {
  (void)read_pipeline(std::string{bytes}, "x.yaml", {built_in_handlers()});
}

void read_words(std::string_view bytes) {
  (void)parse_endpoint(bytes);
  if (const auto found = parse_utc(bytes))
    promise(parse_utc(format_utc(*found)).engaged(), "a time is a time");
  (void)trace_of(bytes, 7, 8);
  (void)trace_of_batch(bytes, bytes);
}

} // namespace

std::vector<target> line_targets() {
  return {
    {"merritt_checkm",
     read_checkm,
     {"#%checkm_0.7\n"
      "#%profile | http://uc3.cdlib.org/registry/ingest/manifest/"
      "mrt-ingest-manifest\n"
      "#%prefix | mrt: | http://merritt.cdlib.org/terms#\n"
      "#%fields | nfo:fileUrl | nfo:hashAlgorithm | nfo:hashValue | "
      "nfo:fileSize | nfo:fileLastModified | nfo:fileName | mrt:mimeType\n"
      "https://example.org/a | md5 | d41d8cd98f00b204e9800998ecf8427e | 0 | | "
      "a.txt | text/plain\n#%eof\n"}},
    {"strategy",
     read_strategy,
     {"round_robin(a, b)", "priority(a: 3, weighted(b: 1, c: 2), *)",
      "first(a,weighted(b:10,c:1))"}},
    {"settings",
     read_settings,
     {"http:\n  listen: 127.0.0.1:8080\nqueues:\n  q: {kind: message}\n",
      "store.kind: postgres\nkafka: {options: [a=b]}\n", "&a [*a]"}},
    {"pipeline",
     read_stages,
     {"name: p\nstages:\n  - name: a\n    handler: noop\n    next: b\n"
      "  - {name: b, handler: noop}\n"}},
    {"words",
     read_words,
     {"127.0.0.1:80", "[::1]:0", "2026-01-02T03:04:05.678Z",
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}},
  };
}

} // namespace depositd::fuzz
