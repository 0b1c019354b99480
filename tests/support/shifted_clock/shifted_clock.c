/* A preload shim that moves the wall clock of a process by DEPOSITD_SHIFT_S
 * seconds and leaves all other clocks alone: an engine on an old data folder
 * lives on the day the folder was written, when its claims were in force. Waits
 * until a time of that clock end when it is that time: they would be over at
 * once otherwise, and whoever waits so would do nothing else.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/time.h>
#include <threads.h>
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

int timespec_get(struct timespec* out, int base) {
  const int known = base == TIME_UTC;
  return known && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out)
    *out = now.tv_sec;
  return now.tv_sec;
}

static struct timespec unshifted(const struct timespec* until) {
  const struct timespec out = {until->tv_sec - shift_s, until->tv_nsec};
  return out;
}

/* Of the two versions of this function in glibc `dlsym` may find the older,
 * which knows other conditions; so the wait is asked for by a function of which
 * there is one. A condition may have the clock since the machine's start, too:
 * its deadlines are no dates. */
int pthread_cond_timedwait(pthread_cond_t* restrict what,
                           pthread_mutex_t* restrict held,
                           const struct timespec* restrict until) {
  if (until->tv_sec < 1000000000)
    return pthread_cond_clockwait(what, held, CLOCK_MONOTONIC, until);
  const struct timespec then = unshifted(until);
  return pthread_cond_clockwait(what, held, CLOCK_REALTIME, &then);
}

int cnd_timedwait(cnd_t* restrict what, mtx_t* restrict held,
                  const struct timespec* restrict until) {
  static int (*real)(cnd_t*, mtx_t*, const struct timespec*);
  if (!real)
    real = dlsym(RTLD_NEXT, "cnd_timedwait");
  const struct timespec then = unshifted(until);
  return real(what, held, &then);
}
