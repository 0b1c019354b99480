// Records of Kafka, of the journal, pages of items, and commands of NSQ's
// clients.

#include "tests/fuzz/target.hpp"

#include "adapters/doors/nsq/commands.hpp"
#include "adapters/doors/nsq/frames.hpp"
#include "adapters/logs/kafka/records.hpp"
#include "adapters/stores/rows/item_page.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/submission_body.hpp"

#include <algorithm>

namespace depositd::fuzz {

namespace {

void read_kafka(std::string_view bytes) {
  static const auto format = make_record_format({"out", "dead"});
  source_record x;
  x.key = "ann";
  x.value = std::string{bytes};
  x.has_value = true;
  const auto found = format.read(x);
  if (!found)
    promise(render(found.error()).find('\n') == std::string::npos,
            "a reason is one line");
}

void read_journal(std::string_view bytes) {
  for (const auto how : {bodies::skipped, bodies::copied}) {
    record_reader from{bytes, 1, how};
    record x;
    while (!from.at_end())
      if (from.next(x))
        break;
  }
}

void read_event(std::string_view bytes) {
  const auto found = decode_event(bytes);
  if (!found)
    return;
  std::string once;
  encode(*found, once);
  const auto again = decode_event(once);
  promise(again.engaged(), "an event's bytes are an event's");
  std::string twice;
  encode(*again, twice);
  promise(once == twice, "and the same one's");
}

void read_body(std::string_view bytes) {
  (void)decode_submission_body(bytes);
}

/// The first byte is how many items there are said to be.
void read_page(std::string_view bytes) {
  rows::item_page page;
  if (!bytes.empty())
    page.count = static_cast<unsigned char>(bytes.front());
  page.items = bytes.substr(std::min<std::size_t>(bytes.size(), 1));
  std::vector<item_row> items;
  if (unpack(page, items))
    return;
  promise(items.size() == page.count, "as many as are said to be");
  std::vector<const item_row*> pointers;
  for (const auto& x : items)
    pointers.push_back(&x);
  rows::page_lanes lanes;
  const auto copy = rows::paged(pointers, lanes);
  std::vector<item_row> again;
  promise(!unpack(copy, again) && again == items, "a page is its own copy");
  std::vector<item_row> places;
  promise(!unpack_places(page, places), "what can be read can be found");
}

std::string a_page(item_id count) {
  std::vector<item_row> items(count);
  std::vector<const item_row*> pointers;
  for (item_id i = 0; i < count; ++i) {
    auto& x = items[i];
    x.id = 7 + i * i;
    x.queue = "q";
    x.user = i % 3 == 0 ? "ann" : "bob";
    x.digest = i % 2 == 0 ? 0 : 0xdead'beef'0000'0000 + i;
    x.place = {.group = i / 4, .offset = 9, .length = 64};
    pointers.push_back(&x);
  }
  rows::page_lanes lanes;
  return static_cast<char>(count) + rows::paged(pointers, lanes).items;
}

void read_nsq(std::string_view bytes) {
  static const nsq::protocol_limits limits;
  for (const bool subscribed : {false, true}) {
    nsq::command_reader reader{limits};
    auto rest = bytes;
    using step = nsq::command_reader::step;
    for (auto left = rest.size() + 1;; left = rest.size()) {
      const auto did = reader.read(rest, {.subscribed = subscribed});
      if (did == step::complete)
        (void)reader.take();
      else
        break;
      promise(rest.size() < left, "a command has bytes");
    }
  }
  (void)nsq::read_message_id(bytes);
}

std::string bytes_of(const event& x) {
  std::string out;
  encode(x, out);
  return out;
}

std::string a_record() {
  item_enqueued x;
  x.id = 7;
  x.queue = "q";
  x.body = "body";
  std::string out;
  std::vector<body_slot> slots;
  encode(record{"ann", {event{x}, event{item_finished{7, "q"}}}}, out, slots);
  return out;
}

std::string a_body() {
  submission x;
  x.file_name = "a.xml";
  x.operation = "doMDUpload";
  return encode_submission_body(x, "<a/>");
}

} // namespace

std::vector<target> record_targets() {
  item_claimed claimed;
  claimed.id = 7;
  claimed.queue = "q";
  return {
    {"kafka_record",
     read_kafka,
     {R"({"id":"a","user":"ann","type":"metadata","payload":"<a/>"})",
      R"({"id":"a","user":"ann","type":"batch","pipeline":"merritt",)"
      R"("collection":"c","payload_url":"https://example.org/x"})"}},
    {"journal_records", read_journal, {a_record(), a_record() + a_record()}},
    {"event", read_event, {bytes_of(claimed), bytes_of(server_changed{})}},
    {"submission_body", read_body, {a_body()}},
    {"item_page", read_page, {a_page(1), a_page(20)}},
    {"nsq_commands",
     read_nsq,
     {"SUB t c\nRDY 1\nNOP\nCLS\n", std::string{"PUB t\n\0\0\0\1x", 11},
      std::string{"MPUB t\n\0\0\0\x0d\0\0\0\1\0\0\0\1x", 20},
      std::string{"IDENTIFY\n\0\0\0\2{}", 15}}},
  };
}

} // namespace depositd::fuzz
