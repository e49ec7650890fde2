/* For foreign.mjs: symbols of glibc that Debian's libstdc++ and libgcc_s need and musl lacks. C++ exceptions do not work; bun uses none. */
#include <sys/syscall.h>

long syscall(long number, ...);
unsigned long strftime_l(char *, unsigned long, const char *, const void *, void *);

char __libc_single_threaded;
int __cpu_model[4];

unsigned arc4random(void) {
  unsigned value = 0;
  syscall(SYS_getrandom, &value, sizeof value, 0);
  return value;
}

unsigned long __strftime_l(char *text, unsigned long size, const char *format, const void *time, void *locale) {
  return strftime_l(text, size, format, time, locale);
}

int _dl_find_object(void *address, void *result) { return -1; }
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) { return 0; }
int __cpu_indicator_init(void) { return 0; }
