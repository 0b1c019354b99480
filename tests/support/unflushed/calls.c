/* A preload shim that plays a power cut: what a process writes below
 * DEPOSITD_UNFLUSHED_ROOT reaches the files only when it is flushed (fsync,
 * fdatasync, syncfs, O_DSYNC). Until then it lives in memory of the process,
 * where the process's own reads see it, and kill -9 takes it away.
 *
 * Every regular file below the root is opened as a memory file with the same
 * content; a flush copies the ranges that were written to the real file.
 * Names follow the same rule: creating, renaming and removing is written to
 * DEPOSITD_UNFLUSHED_LOG, so that a test can undo after the kill what no flush
 * of the folder has made durable (tests/system/unflushed.py).
 *
 *   DEPOSITD_UNFLUSHED_ROOT   folder, absolute and without links
 *   DEPOSITD_UNFLUSHED_LOG    where names are logged
 *   DEPOSITD_UNFLUSHED_TRASH  folder on the same file system for removed files
 *   DEPOSITD_UNFLUSHED_LEAK   0-100: per cent of writes of which some reaches
 *                             the disk all the same, as may happen
 *   DEPOSITD_UNFLUSHED_DEAF   flushes of paths that contain one of these (with
 *                             colons between them) do nothing: proves that a
 *                             test notices a missing flush
 *   DEPOSITD_UNFLUSHED_BAD    the first file whose path contains one of these
 *                             does not get to the disk: once it is closed, what
 *                             was not flushed of it is lost, which syncfs says
 *                             only to descriptors that were open (as if
 *                             somebody else had been told meanwhile)
 *   DEPOSITD_UNFLUSHED_SLOW   milliseconds that pass before what is flushed is
 *                             on the disk: shows what was answered too early
 *
 * Passed through: shared-memory files of SQLite (-shm) and lock files.
 */
#define _GNU_SOURCE
#include "tests/support/unflushed/shadows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* -- opening ----------------------------------------------------------------
 */

static int open_shadowed(int folder, const char* name, int flags, mode_t mode) {
  char path[PATH_MAX];
  load_once();
  if ((flags & (O_PATH | O_DIRECTORY)) || !below_root(folder, name, path)
      || passes_through(path)) {
    int other = real_openat(folder, name, flags, mode);
    see_failures(other);
    return other;
  }
  lock();
  if ((flags & O_CREAT) && !exists(path))
    log_name("create", path, "");
  int keep = flags & ~(O_TRUNC | O_APPEND | O_DIRECT | O_ACCMODE);
  int real = real_openat(AT_FDCWD, path, keep | O_RDWR | O_CLOEXEC, mode);
  if (real < 0 && (flags & O_ACCMODE) == O_RDONLY)
    real = real_openat(AT_FDCWD, path, keep | O_CLOEXEC, mode);
  struct stat info;
  int fd = real;
  if (real >= 0 && real_fstat(real, &info) == 0 && S_ISREG(info.st_mode)) {
    struct shadow* s = find(&info);
    if (s)
      real_close(real);
    else
      s = adopt(real, &info, path);
    char twin[64];
    snprintf(twin, sizeof twin, "/proc/self/fd/%d", s->twin);
    int again = flags & (O_ACCMODE | O_APPEND | O_CLOEXEC);
    fd = real_openat(AT_FDCWD, twin, again);
    if (fd >= FDS_MAX)
      abort();
    if (fd >= 0) {
      ++s->fds;
      by_fd[fd] = s;
      synchronous[fd] = (flags & (O_SYNC | O_DSYNC)) != 0;
      if ((flags & O_TRUNC) && real_ftruncate(s->twin, 0) == 0)
        mark(s, 0, info.st_size);
    }
  }
  see_failures(fd);
  int problem = errno;
  unlock();
  errno = problem;
  return fd;
}

/* -- what the process calls ------------------------------------------------ */

#define MODE_OF(flags)                                                         \
  mode_t mode = 0;                                                             \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {                                     \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    mode = va_arg(rest, mode_t);                                               \
    va_end(rest);                                                              \
  }

int open(const char* name, int flags, ...) {
  MODE_OF(flags)
  return open_shadowed(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char* name, int flags, ...) {
  MODE_OF(flags)
  return open_shadowed(folder, name, flags, mode);
}

int creat(const char* name, mode_t mode) {
  return open_shadowed(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int mkostemp(char* name, int flags) {
  char* end = name + strlen(name) - 6;
  for (int tries = 0; tries < 1000; ++tries) {
    lock();
    for (int i = 0; i < 6; ++i)
      end[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[below(36)];
    unlock();
    int fd =
      open_shadowed(AT_FDCWD, name, flags | O_CREAT | O_EXCL | O_RDWR, 0600);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

int mkstemp(char* name) {
  return mkostemp(name, 0);
}

FILE* fopen(const char* name, const char* mode) {
  int flags = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  flags |= mode[0] == 'w'   ? O_CREAT | O_TRUNC
           : mode[0] == 'a' ? O_CREAT | O_APPEND
                            : 0;
  flags |= strchr(mode, 'e') ? O_CLOEXEC : 0;
  int fd = open_shadowed(AT_FDCWD, name, flags, 0666);
  if (fd < 0)
    return NULL;
  struct shadow* s = shadow_of(fd);
  if (s && mode[0] != 'r')
    s->mapped = 1; /* stdio writes past us, too */
  return fdopen(fd, mode);
}

int close(int fd) {
  lock();
  struct shadow* s = shadow_of(fd);
  if (s) {
    by_fd[fd] = NULL;
    if (--s->fds == 0) {
      write_back(s);
      forget_clean(s);
    }
  }
  int result = real_close(fd);
  unlock();
  return result;
}

static ssize_t write_at(int fd, const struct iovec* parts, int count,
                        off_t offset, int flush) {
  lock();
  struct shadow* s = shadow_of(fd);
  ssize_t size = offset < 0 ? real_writev(fd, parts, count)
                            : real_pwritev(fd, parts, count, offset);
  int problem = errno;
  if (s)
    written(fd, s, offset < 0 ? lseek(fd, 0, SEEK_CUR) - size : offset, size,
            flush);
  unlock();
  errno = problem;
  return size;
}

ssize_t write(int fd, const void* bytes, size_t size) {
  load_once();
  if (!shadow_of(fd))
    return real_write(fd, bytes, size);
  struct iovec part = {(void*)bytes, size};
  return write_at(fd, &part, 1, -1, 0);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  load_once();
  if (!shadow_of(fd))
    return real_writev(fd, parts, count);
  return write_at(fd, parts, count, -1, 0);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  struct iovec part = {(void*)bytes, size};
  return write_at(fd, &part, 1, offset, 0);
}

ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t offset) {
  return write_at(fd, parts, count, offset, 0);
}

ssize_t pwritev2(int fd, const struct iovec* parts, int count, off_t offset,
                 int flags) {
  return write_at(fd, parts, count, offset, flags & (RWF_SYNC | RWF_DSYNC));
}

int ftruncate(int fd, off_t size) {
  lock();
  struct shadow* s = shadow_of(fd);
  off_t before = s ? size_of(fd) : 0;
  int result = real_ftruncate(fd, size);
  if (s && result == 0 && size < before)
    mark(s, size, before); /* zeros, should it grow again */
  unlock();
  return result;
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
  lock();
  struct shadow* s = shadow_of(fd);
  int result = 0;
  if (!s)
    result = real_fallocate(fd, mode, offset, size);
  else if (mode == 0 && size_of(fd) < offset + size)
    result = real_ftruncate(fd, offset + size);
  else if (mode & ~FALLOC_FL_KEEP_SIZE) {
    result = real_fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                            offset, size);
    mark(s, offset, offset + size);
  }
  unlock();
  return result;
}

int posix_fallocate(int fd, off_t offset, off_t size) {
  return fallocate(fd, 0, offset, size) == 0 ? 0 : errno;
}

/* The page cache survives the kill, so the real file needs no flush. */
static int flush(int fd, int (*real)(int)) {
  lock();
  const int waits = shadow_of(fd) != NULL;
  unlock();
  if (waits)
    take_long();
  lock();
  struct shadow* s = shadow_of(fd);
  struct stat info;
  int result = 0;
  if (s) {
    apply(s);
  } else if (has_root() && real_fstat(fd, &info) == 0
             && S_ISDIR(info.st_mode)) {
    log_folder_flush(fd);
  } else {
    result = real(fd);
  }
  unlock();
  return result;
}

int fsync(int fd) {
  load_once();
  return flush(fd, real_fsync);
}

int fdatasync(int fd) {
  load_once();
  return flush(fd, real_fdatasync);
}

/* All that is below the root is on one file system. */
int syncfs(int fd) {
  load_once();
  if (!has_root())
    return real_syncfs(fd);
  take_long();
  lock();
  apply_all();
  int failed = failed_since(fd);
  unlock();
  errno = failed ? EIO : errno;
  return failed ? -1 : 0;
}

int msync(void* address, size_t size, int flags) {
  lock();
  if (flags & MS_SYNC)
    apply_mapped();
  unlock();
  return real_msync(address, size, flags);
}

void* mmap(void* address, size_t size, int protection, int flags, int fd,
           off_t offset) {
  load_once();
  struct shadow* s = shadow_of(fd);
  if (s && (flags & MAP_SHARED) && (protection & PROT_WRITE))
    s->mapped = 1;
  return real_mmap(address, size, protection, flags, fd, offset);
}

ssize_t sendfile(int to, int from, off_t* offset, size_t size) {
  lock();
  struct shadow* s = shadow_of(to);
  ssize_t result = real_sendfile(to, from, offset, size);
  if (s && result > 0)
    s->all_dirty = 1;
  unlock();
  return result;
}

ssize_t copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset,
                        size_t size, unsigned flags) {
  lock();
  struct shadow* s = shadow_of(to);
  ssize_t result =
    real_copy_file_range(from, from_offset, to, to_offset, size, flags);
  if (s && result > 0)
    s->all_dirty = 1;
  unlock();
  return result;
}

/* A twin shows itself with the real file's identity, and a path with the size
 * that the process has written. */
static int shown(int fd, struct stat* out) {
  lock();
  int result = real_fstat(fd, out);
  struct shadow* s = shadow_of(fd);
  struct stat real;
  if (result == 0 && s && real_fstat(s->real, &real) == 0) {
    real.st_size = out->st_size;
    *out = real;
  }
  unlock();
  return result;
}

int fstat(int fd, struct stat* out) {
  return shown(fd, out);
}

int fstat64(int fd, struct stat64* out) {
  return shown(fd, (struct stat*)out);
}

/* ThreadSanitizer stands before us, and asks by the names of old. */
int __fxstat(int version, int fd, struct stat* out) {
  (void)version;
  return shown(fd, out);
}

int __fxstat64(int version, int fd, struct stat64* out) {
  (void)version;
  return shown(fd, (struct stat*)out);
}

int fstatat(int folder, const char* name, struct stat* out, int flags) {
  lock();
  int result = (flags & AT_EMPTY_PATH) && !*name && shadow_of(folder)
                 ? real_fstat(shadow_of(folder)->real, out)
                 : real_fstatat(folder, name, out, flags);
  struct shadow* s = result == 0 && has_root() ? find(out) : NULL;
  if (s)
    out->st_size = size_of(s->twin);
  unlock();
  return result;
}

int fstatat64(int folder, const char* name, struct stat64* out, int flags) {
  return fstatat(folder, name, (struct stat*)out, flags);
}

int stat(const char* name, struct stat* out) {
  return fstatat(AT_FDCWD, name, out, 0);
}

int stat64(const char* name, struct stat64* out) {
  return fstatat64(AT_FDCWD, name, out, 0);
}

int lstat(const char* name, struct stat* out) {
  return fstatat(AT_FDCWD, name, out, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char* name, struct stat64* out) {
  return fstatat(AT_FDCWD, name, (struct stat*)out, AT_SYMLINK_NOFOLLOW);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  char a[PATH_MAX], b[PATH_MAX];
  lock();
  if (below_root(from_folder, from, a) && below_root(to_folder, to, b)) {
    if (exists(b))
      keep_in_trash(b);
    log_name("rename", a, b);
  }
  int result = real_renameat(from_folder, from, to_folder, to);
  unlock();
  return result;
}

int rename(const char* from, const char* to) {
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlinkat(int folder, const char* name, int flags) {
  char path[PATH_MAX];
  lock();
  if (!(flags & AT_REMOVEDIR) && below_root(folder, name, path)
      && !passes_through(path) && exists(path))
    keep_in_trash(path);
  int result = real_unlinkat(folder, name, flags);
  unlock();
  return result;
}

int unlink(const char* name) {
  return unlinkat(AT_FDCWD, name, 0);
}

int remove(const char* name) {
  int result = unlinkat(AT_FDCWD, name, 0);
  return result == 0 || errno != EISDIR
           ? result
           : unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

/* Offsets are 64 bits wide anyhow. */
#define ALSO(result, name, same, ...)                                          \
  result name(__VA_ARGS__) __attribute__((alias(#same)))
ALSO(int, open64, open, const char*, int, ...);
ALSO(int, openat64, openat, int, const char*, int, ...);
ALSO(int, mkstemp64, mkstemp, char*);
ALSO(int, mkostemp64, mkostemp, char*, int);
ALSO(FILE*, fopen64, fopen, const char*, const char*);
ALSO(ssize_t, pwrite64, pwrite, int, const void*, size_t, off_t);
ALSO(ssize_t, pwritev64, pwritev, int, const struct iovec*, int, off_t);
ALSO(ssize_t, pwritev64v2, pwritev2, int, const struct iovec*, int, off_t, int);
ALSO(int, ftruncate64, ftruncate, int, off_t);
ALSO(int, fallocate64, fallocate, int, int, off_t, off_t);
ALSO(int, posix_fallocate64, posix_fallocate, int, off_t, off_t);
ALSO(void*, mmap64, mmap, void*, size_t, int, int, int, off_t);
ALSO(ssize_t, sendfile64, sendfile, int, int, off_t*, size_t);
