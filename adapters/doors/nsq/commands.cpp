#include "adapters/doors/nsq/commands.hpp"

#include <algorithm>
#include <utility>

namespace depositd::nsq {

namespace {

constexpr std::size_t number_bytes = 4;

bool has_body(verb x) {
  return x == verb::identify || x == verb::auth || x == verb::pub
         || x == verb::mpub || x == verb::dpub;
}

/// Bodies that are one message; the others are documents.
bool is_message(verb x) {
  return x == verb::pub || x == verb::dpub;
}

std::string name_of(verb x) {
  return std::string{word_of(x)};
}

std::string beyond(std::int64_t size, std::uint32_t max) {
  return std::to_string(size) + " > " + std::to_string(max);
}

refusal do_not_fit() {
  return refusal::of("E_BAD_BODY", "MPUB messages do not fit into the body");
}

} // namespace

command_reader::step command_reader::refuse(refusal why) {
  why_ = std::move(why);
  taken_ = {};
  held_ = 0;
  return step::refused;
}

command_reader::step command_reader::complete() {
  at_ = part::line;
  held_ = 0;
  return step::complete;
}

bool command_reader::read_number(std::string_view& from, std::int32_t& out) {
  const auto count = std::min(number_bytes - number_.size(), from.size());
  number_.append(from.substr(0, count));
  from.remove_prefix(count);
  if (number_.size() < number_bytes)
    return false;
  std::uint32_t value = 0;
  for (const char c : number_)
    value = value << 8 | static_cast<unsigned char>(c);
  number_.clear();
  out = static_cast<std::int32_t>(value);
  return true;
}

bool command_reader::read_line(std::string_view& from, std::string_view& out) {
  const auto end = from.find('\n');
  if (end == from.npos) {
    line_.append(from.substr(0, line_bytes_max + 1 - line_.size()));
    from = {};
    return false;
  }
  out = from.substr(0, end);
  from.remove_prefix(end + 1);
  if (!line_.empty()) {
    line_.append(out.substr(0, line_bytes_max + 1 - line_.size()));
    out = line_;
  }
  if (out.ends_with('\r'))
    out.remove_suffix(1);
  return true;
}

bool command_reader::fill(std::string_view& from) {
  const auto count = std::min(left_, from.size());
  auto& body = taken_.bodies.back();
  const auto before = body.capacity();
  body.append(from.substr(0, count));
  from.remove_prefix(count);
  left_ -= count;
  held_ += body.capacity() - before;
  return left_ == 0;
}

command_reader::step command_reader::begin(std::string_view line,
                                           const command_context& in) {
  if (line.size() > line_bytes_max)
    return refuse(refusal::invalid(
      "command line longer than " + std::to_string(line_bytes_max) + " bytes"));
  auto read = nsq::read_line(line, in, limits_);
  line_.clear();
  if (read.wrong)
    return refuse(std::move(*read.wrong));
  taken_ = std::move(read.what);
  if (!has_body(taken_.what))
    return complete();
  at_ = part::size;
  return step::more;
}

command_reader::step command_reader::take_size(std::int32_t size) {
  const auto name = name_of(taken_.what);
  if (is_message(taken_.what)) {
    if (size <= 0)
      return refuse(
        refusal::of("E_BAD_MESSAGE", name + " invalid message body size "
                                       + std::to_string(size)));
    if (static_cast<std::uint32_t>(size) > limits_.message_bytes_max)
      return refuse(refusal::of("E_BAD_MESSAGE",
                                name + " message too big "
                                  + beyond(size, limits_.message_bytes_max)));
  } else {
    if (size <= 0)
      return refuse(refusal::of("E_BAD_BODY", name + " invalid body size "
                                                + std::to_string(size)));
    const auto most =
      taken_.what == verb::mpub
        ? limits_.body_bytes_max
        : std::min(limits_.body_bytes_max, limits_.document_bytes_max);
    if (static_cast<std::uint32_t>(size) > most)
      return refuse(refusal::of("E_BAD_BODY",
                                name + " body too big " + beyond(size, most)));
  }
  if (taken_.what == verb::mpub) {
    if (static_cast<std::size_t>(size) < number_bytes)
      return refuse(refusal::of("E_BAD_BODY", "MPUB invalid body size "
                                                + std::to_string(size)));
    body_left_ = static_cast<std::size_t>(size);
    at_ = part::count;
  } else {
    left_ = static_cast<std::size_t>(size);
    taken_.bodies.emplace_back();
    at_ = part::body;
  }
  return step::more;
}

command_reader::step command_reader::take_count(std::int32_t count) {
  body_left_ -= number_bytes;
  const auto fit = body_left_ / number_bytes; // each has at least its length
  if (count <= 0 || static_cast<std::size_t>(count) > fit)
    return refuse(refusal::of("E_BAD_BODY", "MPUB invalid message count "
                                              + std::to_string(count)));
  if (static_cast<std::uint32_t>(count) > limits_.mpub_messages_max)
    return refuse(refusal::of("E_BAD_BODY",
                              "MPUB too many messages "
                                + beyond(count, limits_.mpub_messages_max)));
  messages_ = count;
  at_ = part::message_size;
  return step::more;
}

command_reader::step command_reader::take_message_size(std::int32_t size) {
  if (size <= 0)
    return refuse(
      refusal::of("E_BAD_MESSAGE", "MPUB invalid message("
                                     + std::to_string(taken_.bodies.size())
                                     + ") body size " + std::to_string(size)));
  if (static_cast<std::uint32_t>(size) > limits_.message_bytes_max)
    return refuse(refusal::of("E_BAD_MESSAGE",
                              "MPUB message too big "
                                + beyond(size, limits_.message_bytes_max)));
  const auto needed = number_bytes + static_cast<std::size_t>(size);
  // nsqd reads on beyond the body; what it reads then has no bound.
  if (body_left_ < needed)
    return refuse(do_not_fit());
  body_left_ -= needed;
  left_ = static_cast<std::size_t>(size);
  taken_.bodies.emplace_back();
  at_ = part::message;
  return step::more;
}

command_reader::step command_reader::next_message() {
  if (--messages_ > 0) {
    // What follows the body is another command.
    if (body_left_ < number_bytes)
      return refuse(do_not_fit());
    at_ = part::message_size;
    return step::more;
  }
  if (body_left_ > 0)
    return refuse(
      refusal::of("E_BAD_BODY", "MPUB messages do not fill the body"));
  return complete();
}

command_reader::step command_reader::read(std::string_view& from,
                                          const command_context& in) {
  for (;;) {
    auto next = step::more;
    std::int32_t number = 0;
    std::string_view line;
    switch (at_) {
      case part::line:
        if (!read_line(from, line)) {
          if (line_.size() > line_bytes_max)
            return begin(line_, in);
          return step::more;
        }
        next = begin(line, in);
        break;
      case part::size:
        if (!read_number(from, number))
          return step::more;
        next = take_size(number);
        break;
      case part::body:
        if (!fill(from))
          return step::more;
        next = complete();
        break;
      case part::count:
        if (!read_number(from, number))
          return step::more;
        next = take_count(number);
        break;
      case part::message_size:
        if (!read_number(from, number))
          return step::more;
        next = take_message_size(number);
        break;
      case part::message:
        if (!fill(from))
          return step::more;
        next = next_message();
        break;
    }
    if (next != step::more)
      return next;
  }
}

} // namespace depositd::nsq
