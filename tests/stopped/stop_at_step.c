/* Loaded before a program (LD_PRELOAD), it ends it at its k-th step that changes what is on the disk: STOP_AT=k. Of a
 * write it does the first half. STOP_COUNT=FILE: where the number of steps is written when the program ends by itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long steps;

static int is_last(void) {
  const char* at = getenv("STOP_AT");
  const long step = atomic_fetch_add(&steps, 1) + 1;
  return at && step == atol(at);
}

static void stop(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void* bytes, size_t n, off_t at) {
  if (is_last()) {
    if (n > 1) REAL(pwrite64)(fd, bytes, n / 2, at);
    stop();
  }
  return REAL(pwrite64)(fd, bytes, n, at);
}
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t at) { return pwrite64(fd, bytes, n, at); }

int fsync(int fd) {
  if (is_last()) stop();
  return REAL(fsync)(fd);
}
int rename(const char* from, const char* to) {
  if (is_last()) stop();
  return REAL(rename)(from, to);
}
int ftruncate64(int fd, off_t size) {
  if (is_last()) stop();
  return REAL(ftruncate64)(fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int unlink(const char* path) {
  if (is_last()) stop();
  return REAL(unlink)(path);
}
int mkdir(const char* path, mode_t mode) {
  if (is_last()) stop();
  return REAL(mkdir)(path, mode);
}

__attribute__((destructor)) static void tell(void) {
  const char* file = getenv("STOP_COUNT");
  FILE* out = file ? fopen(file, "w") : NULL;
  if (!out) return;
  fprintf(out, "%ld\n", atomic_load(&steps));
  fclose(out);
}
