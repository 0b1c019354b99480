// Values behind their holders: made once, moved or copied as asked, ended once.

#include "messages/compiled/held.hpp"

#include <caf/detail/message_data.hpp>
#include <caf/type_erased_tuple.hpp>

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <typeinfo>
#include <utility>

namespace depositd {

namespace {

/// Counts those that live.
struct counted {
  static inline int alive = 0;
  static inline bool cannot_copy = false;

  explicit counted(int x) : number(x) {
    ++alive;
  }

  counted(const counted& x) : number(x.number) {
    if (cannot_copy)
      throw std::bad_alloc{};
    ++alive;
  }

  counted(counted&& x) noexcept : number(std::exchange(x.number, 0)) {
    ++alive;
  }

  ~counted() {
    --alive;
  }

  int number;
  char more[100] = {}; ///< larger than any holder
};

const message_kind kind{
  {0, &typeid(counted)},
  0,
  sizeof(counted),
  [](void* to, const void* from) {
    ::new (to) counted(*static_cast<const counted*>(from));
  },
  [](void* to, void* from) {
    ::new (to) counted(std::move(*static_cast<counted*>(from)));
  },
  [](void* x) { static_cast<counted*>(x)->~counted(); },
  [](const void*) { return std::string{"counted"}; },
  [](caf::serializer&, void*) { return caf::error{}; },
  [](caf::deserializer&, void*) { return caf::error{}; },
};

int number_in(const caf::type_erased_tuple& x) {
  return static_cast<const counted*>(x.get(0))->number;
}

class held : public ::testing::Test {
protected:
  held() {
    counted::cannot_copy = false;
  }

  ~held() override {
    EXPECT_EQ(counted::alive, 1) << "but for the one it came from";
  }

  counted one{7};
};

TEST_F(held, moves_from_a_mailbox_into_a_message) {
  auto mail = hold_in_mailbox(kind, &one, nullptr, caf::make_message_id(), {});
  EXPECT_EQ(one.number, 0);
  EXPECT_EQ(number_in(mail->content()), 7);
  const auto message = mail->move_content_to_message();
  EXPECT_EQ(number_in(mail->content()), 0);
  EXPECT_EQ(number_in(message.content()), 7);
  EXPECT_EQ(counted::alive, 3);
}

TEST_F(held, is_copied_where_somebody_else_keeps_it) {
  const auto mail =
    hold_in_mailbox(kind, &one, nullptr, caf::make_message_id(), {});
  const auto message = mail->copy_content_to_message();
  auto other = message;
  EXPECT_EQ(counted::alive, 3) << "both have the same";
  static_cast<counted*>(other.get_mutable(0))->number = 8;
  EXPECT_EQ(counted::alive, 4);
  EXPECT_EQ(number_in(message.content()), 7);
  EXPECT_EQ(number_in(other.content()), 8);
  EXPECT_EQ(number_in(mail->content()), 7);
}

TEST_F(held, is_an_element_of_its_own) {
  const auto element = hold_as_element(kind, &one);
  const auto copy = element->copy();
  static_cast<counted*>(element->get_mutable())->number = 8;
  EXPECT_EQ(static_cast<const counted*>(copy->get())->number, 7);
  EXPECT_EQ(element->stringify(), "counted");
}

TEST_F(held, leaves_nothing_behind_when_a_copy_fails) {
  const auto element = hold_as_element(kind, &one);
  counted::cannot_copy = true;
  EXPECT_THROW(element->copy(), std::bad_alloc);
  EXPECT_EQ(counted::alive, 2);
}

} // namespace

} // namespace depositd
