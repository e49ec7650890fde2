/* Loaded by LD_PRELOAD: the nth of the reads, writes and other steps on files under BROKEN_DISK_ROOT fails with EIO. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static long steps;

/* Each step is a line of BROKEN_DISK_LOG. */
static int breaks(const char *name, const char *path) {
  const char *root = getenv("BROKEN_DISK_ROOT");
  if (root == NULL || strncmp(path, root, strlen(root)) != 0) return 0;
  long step = __atomic_add_fetch(&steps, 1, __ATOMIC_SEQ_CST);
  const char *log = getenv("BROKEN_DISK_LOG");
  if (log != NULL) {
    FILE *file = fopen(log, "a");
    if (file != NULL) {
      fprintf(file, "%s\n", name);
      fclose(file);
    }
  }
  const char *at = getenv("BROKEN_DISK_AT");
  if (at == NULL || atol(at) != step) return 0;
  errno = EIO;
  return 1;
}

static int file_breaks(const char *name, int file) {
  if (getenv("BROKEN_DISK_ROOT") == NULL) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return breaks(name, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_FILE(type, name, parameters, ...) \
  type name parameters { return file_breaks(#name, file) ? -1 : REAL(name)(__VA_ARGS__); }
#define ON_PATH(name, parameters, ...) \
  int name parameters { return breaks(#name, path) ? -1 : REAL(name)(__VA_ARGS__); }

ON_FILE(ssize_t, read, (int file, void *to, size_t size), file, to, size)
ON_FILE(ssize_t, pread, (int file, void *to, size_t size, off_t at), file, to, size, at)
ON_FILE(ssize_t, pread64, (int file, void *to, size_t size, off64_t at), file, to, size, at)
ON_FILE(ssize_t, readv, (int file, const struct iovec *to, int count), file, to, count)
ON_FILE(ssize_t, write, (int file, const void *from, size_t size), file, from, size)
ON_FILE(ssize_t, pwrite, (int file, const void *from, size_t size, off_t at), file, from, size, at)
ON_FILE(ssize_t, pwrite64, (int file, const void *from, size_t size, off64_t at), file, from, size, at)
ON_FILE(ssize_t, writev, (int file, const struct iovec *from, int count), file, from, count)
ON_FILE(int, fsync, (int file), file)
ON_FILE(int, fdatasync, (int file), file)
ON_FILE(int, ftruncate, (int file, off_t size), file, size)
ON_FILE(int, ftruncate64, (int file, off64_t size), file, size)
ON_FILE(int, fchmod, (int file, mode_t mode), file, mode)
ON_PATH(rename, (const char *path, const char *to), path, to)
ON_PATH(link, (const char *path, const char *to), path, to)
ON_PATH(unlink, (const char *path), path)
ON_PATH(mkdir, (const char *path, mode_t mode), path, mode)

#define OPENS(name) \
  int name(const char *path, int flags, ...) { \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = va_arg(more, mode_t); \
    va_end(more); \
    return breaks(#name, path) ? -1 : REAL(name)(path, flags, mode); \
  }
OPENS(open)
OPENS(open64)
