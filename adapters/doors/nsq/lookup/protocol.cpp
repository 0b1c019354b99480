#include "adapters/doors/nsq/lookup/protocol.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

namespace depositd::nsq_lookup {

namespace {

constexpr std::size_t length_bytes = 4;

std::string length_of(std::size_t size) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>((size >> shift) & 0xff);
  return out;
}

std::string line(const char* command, const registration& x) {
  auto out = std::string{command} + ' ' + x.first;
  if (!x.second.empty())
    out += ' ' + x.second;
  return out + '\n';
}

} // namespace

registrations registrations_of(const topics_listed& all) {
  registrations out;
  for (const auto& topic : all.topics) {
    out.emplace(topic.name, "");
    for (const auto& channel : topic.channels)
      out.emplace(topic.name, channel.name);
  }
  return out;
}

std::string greeting(const announced& self) {
  using json = nlohmann::ordered_json;
  const json who{
    {"version", self.version},
    {"tcp_port", self.tcp_port},
    {"http_port", self.http_port},
    {"hostname", self.hostname},
    {"broadcast_address", self.broadcast_address},
  };
  const auto text = json_text(who);
  return "  V1IDENTIFY\n" + length_of(text.size()) + text;
}

std::string register_command(const registration& x) {
  return line("REGISTER", x);
}

std::string unregister_command(const registration& x) {
  return line("UNREGISTER", x);
}

std::uint32_t answer_reader::size() const {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    out = out << 8 | static_cast<unsigned char>(buffer_[i]);
  return out;
}

bool answer_reader::absurd() const {
  return buffer_.size() >= length_bytes && size() > answer_bytes_max;
}

std::optional<std::string> answer_reader::next() {
  if (buffer_.size() < length_bytes || absurd()
      || buffer_.size() - length_bytes < size())
    return std::nullopt;
  const auto end = length_bytes + size();
  auto out = buffer_.substr(length_bytes, end - length_bytes);
  buffer_.erase(0, end);
  return out;
}

} // namespace depositd::nsq_lookup
