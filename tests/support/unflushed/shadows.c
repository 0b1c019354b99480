/* The twins of files, what is dirty in them, and the log of names. */
#define _GNU_SOURCE
#include "tests/support/unflushed/shadows.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct shadow* by_fd[FDS_MAX];
char synchronous[FDS_MAX];

static struct shadow* shadows[SHADOWS_MAX];
static int shadow_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t loaded = PTHREAD_ONCE_INIT, told = PTHREAD_ONCE_INIT;
static char root[PATH_MAX], trash[PATH_MAX], deaf[PATH_MAX], bad[PATH_MAX];
static size_t root_length;
static int log_fd = -1, leak_percent, slow_ms, trash_count;
static int failures; /* of the disk, behind the process's back */
static int failures_before[FDS_MAX];
static uint64_t chance;

#define REAL(result, name, ...) result (*real_##name)(__VA_ARGS__)
#include "tests/support/unflushed/real_functions.h"
#undef REAL

static void load(void) {
#define LOAD(name) *(void**)&real_##name = dlsym(RTLD_NEXT, #name)
  LOAD(openat), LOAD(close), LOAD(write), LOAD(writev), LOAD(pwrite);
  LOAD(pwritev), LOAD(ftruncate), LOAD(fallocate), LOAD(fsync);
  LOAD(fdatasync), LOAD(syncfs), LOAD(msync), LOAD(mmap), LOAD(fstat);
  LOAD(fstatat), LOAD(renameat), LOAD(unlinkat), LOAD(sendfile);
  LOAD(copy_file_range);
}

static void read_environment(void) {
  const char* value = getenv("DEPOSITD_UNFLUSHED_ROOT");
  if (!value)
    return;
  snprintf(root, sizeof root, "%s/", value);
  root_length = strlen(root);
  if ((value = getenv("DEPOSITD_UNFLUSHED_TRASH")))
    snprintf(trash, sizeof trash, "%s", value);
  if ((value = getenv("DEPOSITD_UNFLUSHED_DEAF")))
    snprintf(deaf, sizeof deaf, "%s", value);
  if ((value = getenv("DEPOSITD_UNFLUSHED_BAD")))
    snprintf(bad, sizeof bad, "%s", value);
  if ((value = getenv("DEPOSITD_UNFLUSHED_LEAK")))
    leak_percent = atoi(value);
  if ((value = getenv("DEPOSITD_UNFLUSHED_SLOW")))
    slow_ms = atoi(value);
  if ((value = getenv("DEPOSITD_UNFLUSHED_LOG")))
    log_fd = real_openat(AT_FDCWD, value,
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  chance = ((uint64_t)getpid() << 32) ^ (uint64_t)now.tv_nsec ^ 0x9e3779b9;
}

void load_once(void) {
  pthread_once(&loaded, load);
  /* Sanitizers make calls before there is an environment. */
  if (environ)
    pthread_once(&told, read_environment);
}

void take_long(void) {
  struct timespec rest = {slow_ms / 1000, slow_ms % 1000 * 1000000L};
  while (slow_ms && nanosleep(&rest, &rest) != 0) /* sleeps: as a disk does */
    ;
}

void lock(void) {
  load_once();
  pthread_mutex_lock(&mutex);
}

void unlock(void) {
  pthread_mutex_unlock(&mutex);
}

unsigned below(unsigned limit) {
  chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
  return (unsigned)(chance % limit);
}

/* -- names ---------------------------------------------------------------- */

int below_root(int folder, const char* name, char* out) {
  char joined[PATH_MAX * 2], parent[PATH_MAX];
  if (!root_length)
    return 0;
  if (name[0] == '/' || folder == AT_FDCWD) {
    snprintf(joined, sizeof joined, "%s", name);
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t size = readlink(link, parent, sizeof parent - 1);
    if (size < 0)
      return 0;
    parent[size] = 0;
    snprintf(joined, sizeof joined, "%s/%s", parent, name);
  }
  char* slash = strrchr(joined, '/');
  const char* base = slash ? slash + 1 : joined;
  if (slash)
    *slash = 0;
  const char* where = !slash ? "." : *joined ? joined : "/";
  if (!*base || !realpath(where, parent))
    return 0;
  if (snprintf(out, PATH_MAX, "%s/%s", parent, base) >= PATH_MAX)
    return 0;
  return strncmp(out, root, root_length) == 0;
}

int passes_through(const char* path) {
  const char* base = strrchr(path, '/') + 1;
  size_t length = strlen(base);
  return strstr(base, "lock") || strstr(base, "LOCK")
         || (length > 4 && strcmp(base + length - 4, "-shm") == 0);
}

void log_name(const char* what, const char* a, const char* b) {
  if (log_fd < 0)
    return;
  char line[PATH_MAX * 2 + 32];
  int size = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, a, b);
  if (real_write(log_fd, line, (size_t)size) != size)
    abort();
}

int exists(const char* path) {
  struct stat info;
  return real_fstatat(AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

void keep_in_trash(const char* path) {
  char kept[PATH_MAX + 64];
  if (!*trash)
    return;
  snprintf(kept, sizeof kept, "%s/%d-%d", trash, (int)getpid(), ++trash_count);
  log_name("remove", path, kept);
  if (link(path, kept) != 0)
    kept[0] = 0;
}

int has_root(void) {
  return root_length > 0;
}

/* Whether one of the parts, between colons, is in the path. */
static int has_one_of(const char* wanted, const char* path) {
  char parts[PATH_MAX];
  char* rest = NULL;
  snprintf(parts, sizeof parts, "%s", wanted);
  for (char* part = strtok_r(parts, ":", &rest); part;
       part = strtok_r(NULL, ":", &rest))
    if (strstr(path, part))
      return 1;
  return 0;
}

void log_folder_flush(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  if (size > 0 && !has_one_of(deaf, path)) {
    log_name("flush", path, "");
  }
}

/* -- content -------------------------------------------------------------- */

static void copy_range(int from, int to, off_t begin, off_t end) {
  char buffer[65536];
  while (begin < end) {
    size_t want = sizeof buffer;
    if ((off_t)want > end - begin)
      want = (size_t)(end - begin);
    ssize_t size = pread(from, buffer, want, begin);
    if (size <= 0)
      return;
    if (real_pwrite(to, buffer, (size_t)size, begin) != size)
      abort();
    begin += size;
  }
}

off_t size_of(int fd) {
  struct stat info;
  return real_fstat(fd, &info) == 0 ? info.st_size : 0;
}

void apply(struct shadow* s) {
  if (s->deaf)
    return;
  off_t size = size_of(s->twin);
  if (size_of(s->real) != size && real_ftruncate(s->real, size) != 0)
    abort();
  if (s->all_dirty || s->mapped)
    copy_range(s->twin, s->real, 0, size);
  for (int i = 0; i < s->ranges; ++i)
    copy_range(s->twin, s->real, s->dirty[i].from,
               s->dirty[i].to < size ? s->dirty[i].to : size);
  s->ranges = 0;
  s->all_dirty = 0;
}

void apply_mapped(void) {
  for (int i = 0; i < shadow_count; ++i)
    if (shadows[i]->used && shadows[i]->mapped)
      apply(shadows[i]);
}

void apply_all(void) {
  for (int i = 0; i < shadow_count; ++i)
    if (shadows[i]->used) {
      apply(shadows[i]);
      forget_clean(shadows[i]);
    }
  log_name("flush_all", deaf, "");
}

void forget_clean(struct shadow* s) {
  if (!s->fds && !s->ranges && !s->all_dirty && !s->mapped
      && size_of(s->real) == size_of(s->twin))
    forget(s);
}

/* Linux forgets that what it could not write differs from the disk. */
void write_back(struct shadow* s) {
  if (!s->bad || failures || (!s->ranges && !s->all_dirty))
    return;
  s->deaf = 1;
  ++failures;
}

void see_failures(int fd) {
  if (fd >= 0 && fd < FDS_MAX)
    failures_before[fd] = failures;
}

int failed_since(int fd) {
  const int failed = failures_before[fd] != failures;
  failures_before[fd] = failures;
  return failed;
}

/* Some of a write may reach the disk without a flush, in any order. */
static void leak(struct shadow* s, off_t from, off_t to) {
  if (leak_percent && !s->deaf && (int)below(100) < leak_percent)
    copy_range(s->twin, s->real, from,
               from + (off_t)below((unsigned)(to - from) + 1));
}

void mark(struct shadow* s, off_t from, off_t to) {
  if (from >= to)
    return;
  struct range* last = s->ranges ? &s->dirty[s->ranges - 1] : NULL;
  if (last && from <= last->to && to >= last->from) {
    last->from = from < last->from ? from : last->from;
    last->to = to > last->to ? to : last->to;
  } else if (s->ranges < RANGES_MAX) {
    s->dirty[s->ranges++] = (struct range){from, to};
  } else {
    s->all_dirty = 1;
  }
  leak(s, from, to);
}

struct shadow* shadow_of(int fd) {
  return fd >= 0 && fd < FDS_MAX ? by_fd[fd] : NULL;
}

void written(int fd, struct shadow* s, off_t from, ssize_t size, int flush) {
  if (size > 0) {
    mark(s, from, from + size);
    if (flush || synchronous[fd])
      apply(s);
  }
}

struct shadow* find(const struct stat* info) {
  for (int i = 0; i < shadow_count; ++i)
    if (shadows[i]->used && shadows[i]->inode == info->st_ino
        && shadows[i]->device == info->st_dev)
      return shadows[i];
  return NULL;
}

void forget(struct shadow* s) {
  real_close(s->twin);
  real_close(s->real);
  s->used = 0;
}

struct shadow* adopt(int real, const struct stat* info, const char* path) {
  struct shadow* s = NULL;
  for (int i = 0; i < shadow_count && !s; ++i)
    if (!shadows[i]->used)
      s = shadows[i];
  if (!s) {
    if (shadow_count == SHADOWS_MAX || !(s = malloc(sizeof *s)))
      abort();
    shadows[shadow_count++] = s;
  }
  memset(s, 0, offsetof(struct shadow, dirty));
  s->used = 1;
  s->real = real;
  s->device = info->st_dev;
  s->inode = info->st_ino;
  s->deaf = has_one_of(deaf, path + root_length);
  s->bad = has_one_of(bad, path + root_length);
  s->twin = memfd_create("unflushed", MFD_CLOEXEC);
  if (s->twin < 0 || real_ftruncate(s->twin, info->st_size) != 0)
    abort();
  for (off_t from = 0; (from = lseek(real, from, SEEK_DATA)) >= 0;) {
    off_t to = lseek(real, from, SEEK_HOLE);
    copy_range(real, s->twin, from, to);
    from = to;
  }
  return s;
}
