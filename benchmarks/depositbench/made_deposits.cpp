#include "benchmarks/depositbench/made_deposits.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace depositd::bench {

std::string next_deposit_name() {
  static const auto run =
    std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count());
  static std::atomic<std::uint64_t> count{0};
  return "bench." + run + "." + std::to_string(++count);
}

std::string deposit_xml(const std::string& name, std::size_t bytes) {
  std::string out =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<doi_batch xmlns=\"http://www.crossref.org/schema/5.3.1\" "
    "version=\"5.3.1\"><head><doi_batch_id>"
    + name
    + "</doi_batch_id><timestamp>20260101000000</timestamp><depositor>"
      "<depositor_name>Bench</depositor_name><email_address>bench@example.org"
      "</email_address></depositor><registrant>Bench</registrant></head><body>"
      "<pending_publication><publication><full_title>On queues</full_title>"
      "</publication><doi>10.5555/"
    + name
    + "</doi><acceptance_date><month>02</month><day>20</day><year>2026</year>"
      "</acceptance_date></pending_publication></body></doi_batch>";
  if (out.size() < bytes)
    out.append(bytes - out.size(), ' ');
  return out;
}

} // namespace depositd::bench
