#pragma once

// The wire form of a type: its fields, in order, said once behind it. CAF's
// serializers, the journal's codec and tests walk through them.
//
//   struct claim { item_id id = 0; std::uint32_t member = 0; };
//   DEPOSITD_FIELDS(claim, id, member);

#include <type_traits>

/// Makes `inspect` for a type, which may be nested in another, from the names
/// of at most 80 fields. The order is that of all bytes ever written.
#define DEPOSITD_FIELDS(type, ...)                                             \
  template <class Inspector>                                                   \
  typename Inspector::result_type inspect(Inspector& f,                        \
                                          [[maybe_unused]] type& x) {          \
    return f(__VA_OPT__(DEPOSITD_SCAN(DEPOSITD_EACH(__VA_ARGS__))));           \
  }                                                                            \
  static_assert(std::is_class_v<type>)

// `x.a, x.b, ...`: each scan of the preprocessor takes one more name.
#define DEPOSITD_EACH(name, ...)                                               \
  x.name __VA_OPT__(, DEPOSITD_NEXT DEPOSITD_PARENS(__VA_ARGS__))
#define DEPOSITD_NEXT() DEPOSITD_EACH
#define DEPOSITD_PARENS ()
#define DEPOSITD_SCAN(...)                                                     \
  DEPOSITD_SCAN3(DEPOSITD_SCAN3(DEPOSITD_SCAN3(DEPOSITD_SCAN3(__VA_ARGS__))))
#define DEPOSITD_SCAN3(...)                                                    \
  DEPOSITD_SCAN2(DEPOSITD_SCAN2(DEPOSITD_SCAN2(DEPOSITD_SCAN2(__VA_ARGS__))))
#define DEPOSITD_SCAN2(...)                                                    \
  DEPOSITD_SCAN1(DEPOSITD_SCAN1(DEPOSITD_SCAN1(DEPOSITD_SCAN1(__VA_ARGS__))))
#define DEPOSITD_SCAN1(...) __VA_ARGS__
