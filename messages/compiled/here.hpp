#pragma once

// Compiles what CAF makes of the messages whose headers are included after this
// one, for all who send them (messages/message.hpp). CAF's own templates make
// a hundred functions of a type; these make a dozen, and share the rest.

#include "messages/compiled/values.hpp"
#include "messages/message.hpp"

#include <caf/deserializer.hpp>
#include <caf/detail/message_data.hpp>
#include <caf/rtti_pair.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>
#include <caf/type_erased_tuple.hpp>
#include <caf/type_erased_value.hpp>

#include <cstdint>
#include <string>

namespace depositd {

/// What CAF asks of a type of message.
struct message_kind {
  caf::rtti_pair type;
  std::uint32_t token = 0;
  std::string (*text)(const void*) = nullptr;
  caf::error (*save)(caf::serializer&, void*) = nullptr;
  caf::error (*load)(caf::deserializer&, void*) = nullptr;
  caf::type_erased_value_ptr (*copy)(const void*) = nullptr;
};

/// As an element of some message of CAF's; also what comes from another node.
class stored_value : public caf::type_erased_value {
public:
  stored_value(const message_kind& kind, void* where)
    : kind_(kind), where_(where) {
  }

  stored_value(const stored_value&) = delete; // it would show the other's value

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
    return kind_.copy(where_);
  }

private:
  const message_kind& kind_;
  void* where_;
};

template <class T>
const message_kind& kind_of();

template <class T>
class value_of final : public stored_value {
public:
  explicit value_of(T x)
    : stored_value(kind_of<T>(), &value_), value_(std::move(x)) {
  }

private:
  T value_;
};

template <class T>
const message_kind& kind_of() {
  static const message_kind kind{
    caf::make_rtti_pair<T>(),
    caf::make_type_token<T>(),
    [](const void* x) {
      return caf::deep_to_string(*static_cast<const T*>(x));
    },
    [](caf::serializer& sink, void* x) -> caf::error {
      if constexpr (stays_in_process<T>)
        return caf::make_error(caf::sec::unknown_type);
      else
        return sink(*static_cast<T*>(x));
    },
    [](caf::deserializer& source, void* x) -> caf::error {
      if constexpr (stays_in_process<T>)
        return caf::make_error(caf::sec::unknown_type);
      else
        return source(*static_cast<T*>(x));
    },
    [](const void* x) {
      return caf::type_erased_value_ptr{
        new value_of<T>(*static_cast<const T*>(x))};
    },
  };
  return kind;
}

/// One value that a derived class holds; `Base` is what CAF wants it to be.
template <class Base>
class one_value : public Base {
public:
  one_value(const message_kind& kind, void* where)
    : kind_(kind), where_(where) {
  }

  one_value(const one_value&) = delete; // it would show the other's value

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
    return kind_.copy(where_);
  }

  using Base::load;

  caf::error load(std::size_t, caf::deserializer& source) override {
    return kind_.load(source, where_);
  }

  using Base::save;

  caf::error save(std::size_t, caf::serializer& sink) const override {
    return kind_.save(sink, where_);
  }

private:
  const message_kind& kind_;
  void* where_;
};

template <class T>
class whole_message final : public one_value<caf::detail::message_data> {
public:
  explicit whole_message(T x)
    : one_value(kind_of<T>(), &value_), value_(std::move(x)) {
  }

  whole_message* copy() const override {
    return new whole_message(value_);
  }

private:
  T value_;
};

template <class T>
class mail final : public caf::mailbox_element,
                   public one_value<caf::type_erased_tuple> {
public:
  mail(caf::strong_actor_ptr&& sender, caf::message_id id,
       forwarding_stack&& stages, T&& x)
    : mailbox_element(std::move(sender), id, std::move(stages)),
      one_value(kind_of<T>(), &value_), value_(std::move(x)) {
  }

  caf::type_erased_tuple& content() override {
    return *this;
  }

  const caf::type_erased_tuple& content() const override {
    return *this;
  }

  caf::message move_content_to_message() override {
    return as_message(std::move(value_));
  }

  caf::message copy_content_to_message() const override {
    return as_message(T{value_});
  }

private:
  T value_;
};

template <class T>
caf::mailbox_element_ptr
in_mailbox(caf::strong_actor_ptr&& sender, caf::message_id id,
           caf::mailbox_element::forwarding_stack&& stages, T&& x) {
  return caf::mailbox_element_ptr{
    new mail<T>(std::move(sender), id, std::move(stages), std::move(x))};
}

template <class T>
caf::message as_message(T&& x) {
  return caf::message{caf::detail::message_data::cow_ptr{
    caf::make_counted<whole_message<T>>(std::move(x))}};
}

template <class T>
caf::type_erased_value_ptr make_value() {
  return caf::type_erased_value_ptr{new value_of<T>(T{})};
}

} // namespace depositd

#undef DEPOSITD_COMPILED_HERE
#define DEPOSITD_COMPILED_HERE(type)                                           \
  template caf::mailbox_element_ptr in_mailbox<type>(                          \
    caf::strong_actor_ptr&&, caf::message_id,                                  \
    caf::mailbox_element::forwarding_stack&&, type&&);                         \
  template caf::message as_message<type>(type&&);                              \
  template caf::type_erased_value_ptr make_value<type>()
