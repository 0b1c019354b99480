#include "messages/compiled/held.hpp"

#include <caf/deserializer.hpp>
#include <caf/detail/message_data.hpp>
#include <caf/serializer.hpp>
#include <caf/type_erased_tuple.hpp>

#include <new>
#include <utility>

namespace depositd {

namespace {

/// Where the value is in a holder's block.
template <class Holder>
inline constexpr std::size_t value_at =
  (sizeof(Holder) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t)
  * alignof(std::max_align_t);

/// A block with a holder, whose value `put` makes.
template <class Holder, class Put, class... Rest>
Holder* hold(const message_kind& kind, Put put, Rest&&... rest) {
  auto* const block = ::operator new(value_at<Holder> + kind.size);
  auto* const where = static_cast<std::byte*>(block) + value_at<Holder>;
  try {
    put(where);
  } catch (...) {
    ::operator delete(block);
    throw;
  }
  return ::new (block) Holder(kind, where, std::forward<Rest>(rest)...);
}

template <class Holder, class... Rest>
Holder* hold_moved(const message_kind& kind, void* from, Rest&&... rest) {
  return hold<Holder>(
    kind, [&](void* to) { kind.move(to, from); }, std::forward<Rest>(rest)...);
}

template <class Holder, class... Rest>
Holder* hold_copy(const message_kind& kind, const void* from, Rest&&... rest) {
  return hold<Holder>(
    kind, [&](void* to) { kind.copy(to, from); }, std::forward<Rest>(rest)...);
}

class element final : public caf::type_erased_value {
public:
  element(const message_kind& kind, void* where) : kind_(kind), where_(where) {}

  element(const element&) = delete; // it would show the other's value
  element& operator=(const element&) = delete;

  ~element() override {
    kind_.destroy(where_);
  }

  /// The block is larger than this.
  static void operator delete(void* block) {
    ::operator delete(block);
  }

  void* get_mutable() override {
    return where_;
  }

  const void* get() const override {
    return where_;
  }

  caf::error load(caf::deserializer& source) override {
    return kind_.load(source, where_);
  }

  caf::error save(caf::serializer& sink) const override {
    return kind_.save(sink, where_);
  }

  caf::rtti_pair type() const override {
    return kind_.type;
  }

  std::string stringify() const override {
    return kind_.text(where_);
  }

  caf::type_erased_value_ptr copy() const override {
    return caf::type_erased_value_ptr{hold_copy<element>(kind_, where_)};
  }

private:
  const message_kind& kind_;
  void* where_;
};

/// One value; `Base` is what CAF wants of it.
template <class Base>
class one_value : public Base {
public:
  one_value(const message_kind& kind, void* where)
    : kind_(kind), where_(where) {}

  one_value(const one_value&) = delete; // it would show the other's value
  one_value& operator=(const one_value&) = delete;

  ~one_value() override {
    kind_.destroy(where_);
  }

  void* get_mutable(std::size_t) override {
    return where_;
  }

  const void* get(std::size_t) const noexcept override {
    return where_;
  }

  std::size_t size() const noexcept override {
    return 1;
  }

  std::uint32_t type_token() const noexcept override {
    return kind_.token;
  }

  caf::rtti_pair type(std::size_t) const noexcept override {
    return kind_.type;
  }

  std::string stringify(std::size_t) const override {
    return kind_.text(where_);
  }

  using Base::copy;

  caf::type_erased_value_ptr copy(std::size_t) const override {
    return caf::type_erased_value_ptr{hold_copy<element>(kind_, where_)};
  }

  using Base::load;

  caf::error load(std::size_t, caf::deserializer& source) override {
    return kind_.load(source, where_);
  }

  using Base::save;

  caf::error save(std::size_t, caf::serializer& sink) const override {
    return kind_.save(sink, where_);
  }

protected:
  const message_kind& kind() const {
    return kind_;
  }

  void* where() const {
    return where_;
  }

private:
  const message_kind& kind_;
  void* where_;
};

class whole_message final : public one_value<caf::detail::message_data> {
public:
  using one_value::one_value;

  static void operator delete(void* block) {
    ::operator delete(block);
  }

  whole_message* copy() const override {
    return hold_copy<whole_message>(kind(), where());
  }
};

caf::message as_message(whole_message* x) {
  return caf::message{caf::detail::message_data::cow_ptr{
    caf::intrusive_ptr<caf::detail::message_data>{x, false}}};
}

class mail final : public caf::mailbox_element,
                   public one_value<caf::type_erased_tuple> {
public:
  mail(const message_kind& kind, void* where, caf::strong_actor_ptr&& sender,
       caf::message_id id, forwarding_stack&& stages)
    : mailbox_element(std::move(sender), id, std::move(stages)),
      one_value(kind, where) {}

  static void operator delete(void* block) {
    ::operator delete(block);
  }

  caf::type_erased_tuple& content() override {
    return *this;
  }

  const caf::type_erased_tuple& content() const override {
    return *this;
  }

  caf::message move_content_to_message() override {
    return as_message(hold_moved<whole_message>(kind(), where()));
  }

  caf::message copy_content_to_message() const override {
    return as_message(hold_copy<whole_message>(kind(), where()));
  }
};

} // namespace

caf::mailbox_element_ptr
hold_in_mailbox(const message_kind& kind, void* from,
                caf::strong_actor_ptr&& sender, caf::message_id id,
                caf::mailbox_element::forwarding_stack&& stages) {
  return caf::mailbox_element_ptr{
    hold_moved<mail>(kind, from, std::move(sender), id, std::move(stages))};
}

caf::message hold_in_message(const message_kind& kind, void* from) {
  return as_message(hold_moved<whole_message>(kind, from));
}

caf::type_erased_value_ptr hold_as_element(const message_kind& kind,
                                           void* from) {
  return caf::type_erased_value_ptr{hold_moved<element>(kind, from)};
}

} // namespace depositd
