// GCC calls this at each edge, where clang would count in a table by itself.
// libFuzzer is given one table for all of it, in which a caller has the place
// that belongs to its address, or the next one that is free.

#include <cstddef>
#include <cstdint>

namespace {

/// As libFuzzer reads it.
struct place {
  std::uintptr_t caller;
  std::uintptr_t is_function;
};

// A reader passes some thousand.
constexpr int places_bits = 17;
constexpr std::size_t places_max = std::size_t{1} << places_bits;
constexpr std::size_t neighbours_max = 64;

place places[places_max];
std::uint8_t passes[places_max];

} // namespace

extern "C" {

void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);
void __sanitizer_cov_pcs_init(const place* begin, const place* end);

// libFuzzer has one of its own, which does nothing: the linker has this called
// instead (--wrap).
[[gnu::no_sanitize_coverage]] void __wrap___sanitizer_cov_trace_pc() {
  const auto caller
    = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  auto at = (caller * 0x9e37'79b9'7f4a'7c15u) >> (64 - places_bits);
  for (std::size_t i = 0; i < neighbours_max; ++i) {
    if (places[at].caller == 0)
      places[at].caller = caller;
    if (places[at].caller == caller) {
      ++passes[at];
      return;
    }
    at = (at + 1) % places_max;
  }
}

// It has none for these, and learns nothing of them.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

} // extern "C"

namespace {

[[gnu::constructor]] void tell_of_table() {
  __sanitizer_cov_8bit_counters_init(passes, passes + places_max);
  __sanitizer_cov_pcs_init(places, places + places_max);
}

} // namespace
