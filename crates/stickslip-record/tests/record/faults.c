/* Loaded before the C library: lets one write, or one allocation, fail.
   STICKSLIP_FAULT is KIND AT TIMES: w (writes) or m (memory), the call that fails, counted from the line
   "armed" on standard output (0: none), and how many from there on. At the end it says how many calls there
   were. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static char kind;
static long at, times;
static atomic_long calls;
static atomic_int armed;

__attribute__((constructor)) static void begin(void) {
  const char *said = getenv("STICKSLIP_FAULT");
  if (said) sscanf(said, "%c %ld %ld", &kind, &at, &times);
}

__attribute__((destructor)) static void end(void) {
  char line[64];
  armed = 0;
  int n = snprintf(line, sizeof line, "calls %ld\n", (long)calls);
  if (kind) syscall(SYS_write, 1, line, n);
}

static int fails(char which) {
  if (!armed || which != kind) return 0;
  long n = ++calls;
  return at > 0 && n >= at && n < at + times;
}

ssize_t write(int fd, const void *data, size_t size) {
  if (fd == 1 && memmem(data, size, "armed", 5)) armed = 1;
  if (fd > 2 && fails('w')) return errno = EIO, -1;
  return syscall(SYS_write, fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t place) {
  if (fails('w')) return errno = ENOSPC, -1;
  return syscall(SYS_pwrite64, fd, data, size, place);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t place) { return pwrite64(fd, data, size, place); }

int ftruncate64(int fd, off64_t size) {
  if (fails('w')) return errno = EIO, -1;
  return syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

void *malloc(size_t size) { return fails('m') ? (errno = ENOMEM, NULL) : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
  return fails('m') ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return fails('m') ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}
