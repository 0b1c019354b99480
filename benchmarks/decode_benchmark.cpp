// What it costs to read one deposit: XML as depositors send it, and the JSON
// envelope of a message.

#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/xml_text.hpp"

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <string>

namespace {

using namespace depositd::crossref;

/// A journal with this many articles of 20 references each.
std::string sample_deposit(int articles) {
  std::string out =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<doi_batch xmlns=\"http://www.crossref.org/schema/5.3.1\" "
    "version=\"5.3.1\"><head><doi_batch_id>b</doi_batch_id>"
    "<timestamp>20240101000000</timestamp></head><body><journal>"
    "<journal_metadata><full_title>Journal of Measures"
    "</full_title><issn>0000-0019</issn></journal_metadata>";
  for (int i = 0; i < articles; ++i) {
    const auto number = std::to_string(i);
    out += "<journal_article><titles><title>On measuring " + number
           + "</title></titles><contributors><person_name sequence=\"first\" "
             "contributor_role=\"author\"><given_name>A</given_name><surname>B"
             "</surname></person_name></contributors><publication_date><year>"
             "2024</year></publication_date><pages><first_page>1</first_page>"
             "</pages><doi_data><doi>10.5555/m."
           + number + "</doi><resource>https://example.org/" + number
           + "</resource></doi_data><citation_list>";
    for (int k = 0; k < 20; ++k)
      out += "<citation key=\"r" + std::to_string(k)
             + "\"><doi>10.5555/cited</doi><unstructured_citation>Somebody "
               "measured something, and wrote it down at length."
               "</unstructured_citation></citation>";
    out += "</citation_list></journal_article>";
  }
  return out + "</journal></body></doi_batch>";
}

void decode_deposit_xml(benchmark::State& state) {
  const auto bytes = sample_deposit(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const auto text = decode_xml_text(bytes, {});
    deposit content;
    const auto problem = parse_deposit(*text, {}, content);
    if (problem || content.dois.empty())
      state.SkipWithError("the sample cannot be read");
    benchmark::DoNotOptimize(content);
  }
  state.SetBytesProcessed(state.iterations()
                          * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(decode_deposit_xml)->Arg(1)->Arg(100)->Arg(1000);

void decode_message_json(benchmark::State& state) {
  const simdjson::padded_string bytes{
    R"({"id":"7c0a","user":"amelie","type":"metadata","priority":3,"payload":")"
    + std::string(static_cast<std::size_t>(state.range(0)), 'x') + "\"}"};
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    std::string_view user;
    std::string_view payload;
    auto document = parser.iterate(bytes);
    if (document["user"].get(user) || document["payload"].get(payload))
      state.SkipWithError("the sample cannot be read");
    benchmark::DoNotOptimize(user);
    benchmark::DoNotOptimize(payload);
  }
  state.SetBytesProcessed(state.iterations()
                          * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(decode_message_json)->Arg(1024)->Arg(64 * 1024);

} // namespace
