/* A preload shim that moves the wall clock of a process by DEPOSITD_SHIFT_S
 * seconds and leaves all other clocks alone: an engine on an old data folder
 * lives on the day the folder was written, when its claims were in force.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

typedef int (*clock_function)(clockid_t, struct timespec*);

static clock_function real_clock;
static time_t shift_s;

__attribute__((constructor)) static void load(void) {
  const char* text = getenv("DEPOSITD_SHIFT_S");
  shift_s = text ? (time_t) atoll(text) : 0;
  real_clock = (clock_function) dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t which, struct timespec* out) {
  if (!real_clock)
    load();
  const int status = real_clock(which, out);
  if (status == 0
      && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
    out->tv_sec += shift_s;
  return status;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  (void) zone;
  struct timespec now;
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return status;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out)
    *out = now.tv_sec;
  return now.tv_sec;
}
