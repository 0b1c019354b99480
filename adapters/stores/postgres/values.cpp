#include "adapters/stores/postgres/values.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/utf8.hpp"

#include <charconv>

namespace depositd::postgres {

namespace {

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (auto shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
}

Oid array_of(Oid element) {
  switch (element) {
    case number_type:
      return 1016;
    case text_type:
      return 1009;
    default:
      return 1001; // bytes
  }
}

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto as_digits = [&](char byte) { append_hex(out += "\\x", byte); };
  for (;;) {
    const auto bad = find_invalid_utf8(text);
    for (const auto c : text.substr(0, bad))
      if (c == '\\')
        out += "\\\\";
      else if (c == '\0')
        as_digits(c);
      else
        out += c;
    if (bad == std::string_view::npos)
      return out;
    as_digits(text[bad]);
    text.remove_prefix(bad + 1);
  }
}

std::string unescaped(std::string_view text) {
  if (text.find('\\') == std::string_view::npos)
    return std::string{text};
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
    } else if (text[at + 1] == 'x' && at + 3 < text.size()) {
      unsigned char byte = 0;
      take_hex(text.substr(at + 2, 2), byte);
      out += static_cast<char>(byte);
      at += 3;
    } else {
      out += text[++at];
    }
  }
  return out;
}

bulk::bulk(const rows::fields& all) {
  for (const auto& x : all)
    columns_.emplace_back(x.of == rows::kind::number ? number_type
                          : x.of == rows::kind::text ? text_type
                                                     : bytes_type);
}

column::column(Oid element) : element_(element) {
  // nop
}

column& column::add(std::string_view value) {
  if (element_ == text_type) {
    const auto text = escaped(value);
    append_size(static_cast<std::uint32_t>(text.size()));
    data_ += text;
  } else {
    append_size(static_cast<std::uint32_t>(value.size()));
    data_ += value;
  }
  ++count_;
  return *this;
}

Oid column::type() const noexcept {
  return array_of(element_);
}

std::string column::bytes() const {
  std::string out;
  out.reserve(20 + data_.size());
  append_big_endian(out, count_ == 0 ? 0 : 1, 4); // dimensions
  append_big_endian(out, 0, 4);                   // no nulls
  append_big_endian(out, element_, 4);
  if (count_ > 0) {
    append_big_endian(out, count_, 4);
    append_big_endian(out, 1, 4); // first index
  }
  out += data_;
  return out;
}

void column::append_size(std::uint32_t value) {
  append_big_endian(data_, value, 4);
}

void column::append_number(std::uint64_t value) {
  append_big_endian(data_, value, 8);
}

parameters& parameters::text(std::string_view value) {
  return own(text_type, escaped(value));
}

parameters& parameters::bytes(std::string_view value) {
  return refer(bytes_type, value);
}

parameters& parameters::add(const column& value) {
  return own(value.type(), value.bytes());
}

parameters& parameters::add(const bulk& rows) {
  for (const auto& x : rows.columns())
    add(x);
  return *this;
}

parameters& parameters::add_number(std::uint64_t value) {
  std::string out;
  append_big_endian(out, value, 8);
  return own(number_type, std::move(out));
}

parameters& parameters::own(Oid type, std::string value) {
  owned_.push_back(std::make_unique<const std::string>(std::move(value)));
  return refer(type, *owned_.back());
}

parameters& parameters::refer(Oid type, std::string_view value) {
  types_.push_back(type);
  // A null pointer would be NULL.
  values_.push_back(value.data() == nullptr ? "" : value.data());
  lengths_.push_back(static_cast<int>(value.size()));
  formats_.push_back(1);
  return *this;
}

std::uint64_t result::changed() const {
  const std::string_view text = PQcmdTuples(handle_.get());
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::uint64_t result::number(int row, int column) const noexcept {
  const auto bytes = raw(row, column);
  // Sign-extended from any width; a boolean is 0 or 1.
  std::uint64_t out = 0;
  if (bytes.size() > 1 && (bytes.front() & 0x80) != 0)
    out = ~std::uint64_t{0};
  for (const auto x : bytes)
    out = (out << 8) | static_cast<unsigned char>(x);
  return out;
}

void result::read(int row, int column, std::string& out) const {
  const auto bytes = raw(row, column);
  if (PQftype(handle_.get(), column) == bytes_type)
    out = bytes;
  else
    out = unescaped(bytes);
}

std::string_view result::raw(int row, int column) const noexcept {
  return {PQgetvalue(handle_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(handle_.get(), row, column))};
}

} // namespace depositd::postgres
