#include "config/standard_files.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace depositd {

void open_standard_files() {
  for (const auto fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF)
      continue;
    // The lowest that is free, which is this one.
    if (::open("/dev/null", O_RDWR) != fd)
      std::abort();
  }
}

} // namespace depositd
