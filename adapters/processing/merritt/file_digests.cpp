#include "adapters/processing/merritt/file_digests.hpp"

#include "adapters/digests/digester.hpp"
#include "adapters/stores/files/file.hpp"

#include <vector>

#include <fcntl.h>

namespace depositd::merritt {

caf::expected<digested_file> digest_file(const std::filesystem::path& path,
                                         digest_algorithm algorithm) {
  auto file = open_file(path, O_RDONLY | O_NOFOLLOW);
  if (!file)
    return std::move(file.error());
  digester sum{algorithm};
  digested_file out;
  std::vector<char> buffer(256 * 1024);
  for (;;) {
    auto count = read_file_at(*file, path, buffer, out.bytes);
    if (!count)
      return std::move(count.error());
    if (*count == 0)
      break;
    sum.add({buffer.data(), *count});
    out.bytes += *count;
  }
  out.sum = sum.finish();
  return out;
}

std::string difference(const digest& found, const digest& expected) {
  return found == expected
           ? ""
           : "the " + std::string{digest_name(found.algorithm)} + " is "
               + found.value + ", not " + expected.value;
}

} // namespace depositd::merritt
