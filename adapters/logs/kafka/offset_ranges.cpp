#include "adapters/logs/kafka/offset_ranges.hpp"

#include "adapters/logs/kafka/consumed.hpp"

#include <algorithm>
#include <numeric>

namespace depositd::kafka {

namespace {

/// Waits may end early, and a new topic has no leader for a moment.
bool passes_by_itself(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__TRANSPORT
         || code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN
         || code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
         || code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
}

class question {
public:
  question(client& by, const std::string& topic,
           const std::vector<std::int32_t>& of, deadline end)
    : by_(by), topic_(topic), of_(of), end_(end) {
    // nop
  }

  /// To a time, brokers answer with an offset; two times are no times.
  ranges_failed ask(std::int64_t time, offset_ranges& out,
                    std::int64_t partition_range::* where) const {
    const partition_list list{
      rd_kafka_topic_partition_list_new(static_cast<int>(of_.size()))};
    for (const auto partition : of_)
      rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), partition)
        ->offset = time;
    const auto code = rd_kafka_offsets_for_times(
      by_.handle(), list.get(), std::max(milliseconds_until(end_), 1));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return {code};
    for (int i = 0; i < list->cnt; ++i) {
      const auto& x = list->elems[i];
      if (x.err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return {x.err, x.partition};
      out[x.partition].*where = x.offset;
    }
    return {};
  }

private:
  client& by_;
  const std::string& topic_;
  const std::vector<std::int32_t>& of_;
  deadline end_;
};

} // namespace

std::vector<std::int32_t> partitions_below(std::int32_t count) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

ranges_failed ask_for_ranges(client& by, const std::string& topic,
                             const std::vector<std::int32_t>& of, deadline end,
                             offset_ranges& out) {
  const question about{by, topic, of, end};
  auto failed =
    about.ask(RD_KAFKA_OFFSET_BEGINNING, out, &partition_range::low);
  if (failed.code == RD_KAFKA_RESP_ERR_NO_ERROR)
    failed = about.ask(RD_KAFKA_OFFSET_END, out, &partition_range::high);
  if (failed.partition < 0)
    failed.partition = of.front();
  return failed;
}

caf::expected<offset_ranges> ranges_of(client& by, const std::string& topic,
                                       const std::vector<std::int32_t>& of,
                                       deadline end) {
  offset_ranges out;
  if (of.empty())
    return out;
  for (;;) {
    const auto [code, partition] = ask_for_ranges(by, topic, of, end, out);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      by.news().trouble.clear();
      return out;
    }
    if (!passes_by_itself(code) || milliseconds_until(end) == 0)
      return failure(topic + "/" + std::to_string(partition), code);
    rd_kafka_poll(by.handle(), std::min(milliseconds_until(end), 50));
  }
}

} // namespace depositd::kafka
