#ifndef UNFLUSHED_SHADOWS_H
#define UNFLUSHED_SHADOWS_H

/* Files whose unflushed writes are held back; calls.c says what it is for.
 * Every function here expects the lock, but for those that take it. */

#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { FDS_MAX = 65536, SHADOWS_MAX = 8192, RANGES_MAX = 4096 };

struct range {
  off_t from, to;
};

/* One file: the memory twin, the real one, and what differs. */
struct shadow {
  int used, twin, real, fds, mapped, all_dirty, deaf, bad;
  dev_t device;
  ino_t inode;
  int ranges;
  struct range dirty[RANGES_MAX];
};

extern struct shadow* by_fd[FDS_MAX]; /* NULL: not below the root */
extern char synchronous[FDS_MAX];     /* opened with O_SYNC or O_DSYNC */

/* The functions that ours stand before. */
#define REAL(result, name, ...) extern result (*real_##name)(__VA_ARGS__)
#include "tests/support/unflushed/real_functions.h"
#undef REAL

void load_once(void);
/* As long as a flush is to take; without the lock. */
void take_long(void);

void lock(void); /* loads too */
void unlock(void);
unsigned below(unsigned limit); /* by chance */

/* -- names */

int has_root(void);
/* The absolute path of a name, its folder resolved; 0 if it is not below the
 * root. `out` has PATH_MAX bytes. */
int below_root(int folder, const char* name, char* out);
int passes_through(const char* path);
int exists(const char* path);
void log_name(const char* what, const char* a, const char* b);
void log_folder_flush(int fd);
/* Keeps what is about to disappear, so that a test can bring it back. */
void keep_in_trash(const char* path);

/* -- content */

off_t size_of(int fd);
struct shadow* shadow_of(int fd);
struct shadow* find(const struct stat* info);
/* The twin of an open file; takes over `real`. */
struct shadow* adopt(int real, const struct stat* info, const char* path);
void forget(struct shadow* s);
/* Notes what was written; flushes it at once if asked to. */
void written(int fd, struct shadow* s, off_t from, ssize_t size, int flush);
void mark(struct shadow* s, off_t from, off_t to);
/* Brings everything to the real file. */
void apply(struct shadow* s);
void apply_mapped(void);
/* Of every file, and all names. */
void apply_all(void);
/* Unless something of it lives on without a descriptor, as in a page cache. */
void forget_clean(struct shadow* s);
/* What the system does some time after the last descriptor is gone. Of a bad
 * file nothing is on the disk then, whatever is flushed later. */
void write_back(struct shadow* s);
/* That the descriptor is told of what fails from now on. */
void see_failures(int fd);
/* Whether there was any, once. */
int failed_since(int fd);

#endif
