#include "messages/values/codec.hpp"

#include "messages/values/varint.hpp"
#include "messages/values/words.hpp"

#include <limits>
#include <tuple>
#include <type_traits>

namespace depositd {

namespace {

/// Layout versions of a record; a reader refuses what it does not know. In the
/// first, submissions had no `trace` and rejected records no headers.
constexpr char format_1 = 1;
constexpr char format_2 = 2;

/// The last value of each enumeration that events hold; a number above it is
/// damage, not a value that `switch` statements must reckon with. Those with
/// words have a word for each value, in their order.
constexpr std::tuple last_values{true,
                                 body_kind::blob,
                                 pick_kind::required,
                                 move_status::error,
                                 ending::collapsed,
                                 source_kind::exec,
                                 fair_by::seconds};

template <class T>
constexpr T last_value() {
  if constexpr (words_of<T>.empty())
    return std::get<T>(last_values);
  else
    return words_of<T>.back().first;
}

class writer {
public:
  using result_type = void;

  explicit writer(std::string& out) : out_(out) {
    // nop
  }

  template <class... Ts>
  void operator()(Ts&... xs) {
    (put(xs), ...);
  }

  void put_number(std::uint64_t x) {
    add_number(out_, x);
  }

  void put(const std::string& x) {
    put_number(x.size());
    out_.append(x);
  }

  template <class T>
  void put(const std::vector<T>& xs) {
    put_number(xs.size());
    for (const auto& x : xs)
      put(x);
  }

  template <class T>
  void put(const T& x) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>)
      put_number(static_cast<std::uint64_t>(x));
    else if constexpr (std::is_signed_v<T>)
      put_number((static_cast<std::uint64_t>(x) << 1)
                 ^ static_cast<std::uint64_t>(std::int64_t{x} >> 63));
    else if constexpr (std::is_integral_v<T>)
      put_number(x);
    else
      inspect(*this, const_cast<T&>(x)); // writers change nothing
  }

private:
  std::string& out_;
};

class reader {
public:
  using result_type = void;

  reader(std::string_view bytes, std::size_t& position, char format)
    : bytes_(bytes), position_(position), format_(format) {
    // nop
  }

  template <class... Ts>
  void operator()(Ts&... xs) {
    (get(xs), ...);
  }

  bool ok() const noexcept {
    return ok_;
  }

  std::uint64_t number() {
    return take_number(bytes_, position_, ok_);
  }

  std::string_view bytes() {
    const auto size = number();
    if (!ok_ || size > bytes_.size() - position_) {
      ok_ = false;
      return {};
    }
    const auto out = bytes_.substr(position_, size);
    position_ += size;
    return out;
  }

  void get(std::string& x) {
    x.assign(bytes());
  }

  void get(submission& x) {
    if (format_ != format_1)
      return inspect(*this, x);
    (*this)(x.file_name, x.operation, x.login, x.source, x.blob, x.size);
    x.trace.clear();
  }

  void get(record_rejected& x) {
    if (format_ != format_1)
      return inspect(*this, x);
    (*this)(x.partition, x.offset, x.reason, x.key, x.value);
    x.headers.clear();
  }

  template <class T>
  void get(std::vector<T>& xs) {
    const auto size = number();
    xs.clear();
    if (size > bytes_.size() - position_) // each element takes a byte or more
      ok_ = false;
    for (std::uint64_t i = 0; ok_ && i < size; ++i)
      get(xs.emplace_back());
  }

  template <class T>
  void get(T& x) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      const auto value = number();
      if (value > static_cast<std::uint64_t>(last_value<T>()))
        ok_ = false;
      else
        x = static_cast<T>(value);
    } else if constexpr (std::is_signed_v<T>) {
      static_assert(sizeof(T) == sizeof(std::uint64_t));
      const auto value = number();
      x = static_cast<T>((value >> 1) ^ (~(value & 1) + 1));
    } else if constexpr (std::is_integral_v<T>) {
      const auto value = number();
      if (value > std::numeric_limits<T>::max())
        ok_ = false;
      x = static_cast<T>(value);
    } else {
      inspect(*this, x);
    }
  }

private:
  std::string_view bytes_;
  std::size_t& position_;
  char format_;
  bool ok_ = true;
};

template <class T>
constexpr bool has_body =
  std::is_same_v<T, item_enqueued> || std::is_same_v<T, body_compacted>;

void put_event(const event& x, std::string& out,
               std::vector<body_slot>* slots) {
  writer w{out};
  out.push_back(static_cast<char>(x.index()));
  std::visit(
    [&](const auto& fields) {
      using type = std::decay_t<decltype(fields)>;
      w.put(fields);
      if constexpr (has_body<type>) {
        w.put_number(fields.body.size());
        if (slots != nullptr && !fields.body.empty())
          slots->push_back({fields.id, static_cast<std::uint32_t>(out.size()),
                            static_cast<std::uint32_t>(fields.body.size())});
        out.append(fields.body);
      }
    },
    x);
}

/// Where the last body of a record is, for the copies that follow it.
class last_body {
public:
  void see(const event& x, std::vector<body_slot>& slots) {
    if (const auto* item = std::get_if<item_enqueued>(&x))
      slot_ = item->body.empty() ? body_slot{} : slots.back();
    else if (const auto* copy = std::get_if<item_copied>(&x);
             copy != nullptr && copy->of != 0 && copy->of == slot_.id)
      slots.push_back({copy->id, slot_.offset, slot_.length});
  }

private:
  body_slot slot_;
};

template <std::size_t I = 0>
bool emplace_kind(event& out, std::size_t kind) {
  if constexpr (I < std::variant_size_v<event_kinds>) {
    if (kind != I)
      return emplace_kind<I + 1>(out, kind);
    if (out.index() != I)
      out.emplace<I>();
    return true;
  } else {
    return false;
  }
}

/// Where in the journal an event stands, and how to read it.
struct event_source {
  std::uint64_t group = 0;
  bodies how = bodies::copied;
  char format = format_2;
};

bool get_event(std::string_view bytes, std::size_t& position, event& out,
               const event_source& from) {
  if (position >= bytes.size()
      || !emplace_kind(out, static_cast<std::uint8_t>(bytes[position++])))
    return false;
  return std::visit(
    [&](auto& fields) {
      using type = std::decay_t<decltype(fields)>;
      reader r{bytes, position, from.format};
      r.get(fields);
      if constexpr (has_body<type>) {
        const auto body = r.bytes();
        fields.place = {};
        if (!body.empty())
          fields.place = {
            from.group, static_cast<std::uint32_t>(body.data() - bytes.data()),
            static_cast<std::uint32_t>(body.size())};
        if (from.how == bodies::copied)
          fields.body.assign(body);
        else
          fields.body.clear();
      } else if constexpr (std::is_same_v<type, item_copied>) {
        fields.place = fields.at; // of a copy in the record: see `find_body`
      }
      return r.ok();
    },
    out);
}

/// Of a copy of the last item that came before it in the record. False if that
/// is another one.
bool find_body(record& in, std::size_t index) {
  auto* copy = std::get_if<item_copied>(&in.events[index]);
  if (copy == nullptr || copy->of == 0)
    return true;
  while (index-- > 0) {
    const auto& before = in.events[index];
    if (const auto* x = std::get_if<item_enqueued>(&before)) {
      copy->place = x->place;
      return x->id == copy->of;
    }
    if (const auto* x = std::get_if<item_copied>(&before);
        x != nullptr && x->of == copy->of) {
      copy->place = x->place;
      return true;
    }
  }
  return false;
}

} // namespace

void encode(const record& x, std::string& out, std::vector<body_slot>& slots) {
  out.push_back(format_2);
  writer w{out};
  w.put(x.user);
  w.put_number(x.events.size());
  last_body last;
  for (const auto& e : x.events) {
    put_event(e, out, &slots);
    last.see(e, slots);
  }
}

void encode(const event& x, std::string& out) {
  put_event(x, out, nullptr);
}

caf::expected<event> decode_event(std::string_view bytes) {
  event out;
  std::size_t position = 0;
  if (!get_event(bytes, position, out, {}) || position != bytes.size())
    return caf::make_error(ec::store_damaged,
                           "not an event, or one of a later version");
  return out;
}

record_reader::record_reader(std::string_view bytes, std::uint64_t group,
                             bodies how)
  : bytes_(bytes), group_(group), how_(how) {
  // nop
}

bool record_reader::at_end() const noexcept {
  return position_ >= bytes_.size();
}

caf::error record_reader::next(record& out) {
  const auto damaged = [&] {
    return caf::make_error(ec::store_damaged,
                           "not a record at byte " + std::to_string(position_)
                             + " of group " + std::to_string(group_));
  };
  // Groups pass their checksums before they come here.
  const auto unknown = [&](const char* what, char number) {
    return caf::make_error(
      ec::store_damaged,
      render(damaged()) + ": " + what + " "
        + std::to_string(static_cast<unsigned char>(number))
        + ", which this version does not know: a later one may have written "
          "it, and there is no way back");
  };
  if (at_end())
    return damaged();
  const auto format = bytes_[position_++];
  if (format != format_1 && format != format_2)
    return unknown("format", format);
  reader r{bytes_, position_, format};
  r.get(out.user);
  const auto count = r.number();
  if (!r.ok() || count > bytes_.size() - position_)
    return damaged();
  if (out.events.size() > count)
    out.events.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    // One by one: a wrong count must not reserve memory for itself.
    if (i == out.events.size())
      out.events.emplace_back();
    if (position_ < bytes_.size()
        && static_cast<std::uint8_t>(bytes_[position_])
             >= std::variant_size_v<event_kinds>)
      return unknown("an event of kind", bytes_[position_]);
    if (!get_event(bytes_, position_, out.events[i], {group_, how_, format})
        || !find_body(out, i))
      return damaged();
  }
  return {};
}

} // namespace depositd
