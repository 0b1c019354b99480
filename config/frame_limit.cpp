// A bound for what CAF's wire protocol takes in one message.
//
// CAF 0.17.6 believes the length in a header before it knows who speaks: one
// header of 4 GiB costs as much memory and stops every other connection of the
// port. It offers no setting, but its library asks `basp::valid` about each
// header through the dynamic linker, so a function of that name in the program
// comes before the library's.

#include <caf/io/basp/header.hpp>

#include <dlfcn.h>

namespace {

/// More than any message of ours: 10,000 items of an ordinary size.
constexpr std::uint32_t payload_bytes_max = 64u << 20;

using validator = bool (*)(const caf::io::basp::header&);

validator library_validator() {
  return reinterpret_cast<validator>(
    ::dlsym(RTLD_NEXT, "_ZN3caf2io4basp5validERKNS1_6headerE"));
}

} // namespace

namespace caf::io::basp {

bool valid(const header& x) {
  static const auto original = library_validator();
  return x.payload_len <= payload_bytes_max && original && original(x);
}

} // namespace caf::io::basp
