/* What glibc's headers make of calls when they fortify, and musl does not have: Debian's archives are built so. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __sprintf_chk(char* to, int flag, size_t size, const char* format, ...) {
  (void)flag;
  va_list arguments;
  va_start(arguments, format);
  const int written = vsnprintf(to, size, format, arguments);
  va_end(arguments);
  return written;
}
int __snprintf_chk(char* to, size_t most, int flag, size_t size, const char* format, ...) {
  (void)flag;
  (void)size;
  va_list arguments;
  va_start(arguments, format);
  const int written = vsnprintf(to, most, format, arguments);
  va_end(arguments);
  return written;
}
int __vsnprintf_chk(char* to, size_t most, int flag, size_t size, const char* format, va_list arguments) {
  (void)flag;
  (void)size;
  return vsnprintf(to, most, format, arguments);
}
int __fprintf_chk(FILE* file, int flag, const char* format, ...) {
  (void)flag;
  va_list arguments;
  va_start(arguments, format);
  const int written = vfprintf(file, format, arguments);
  va_end(arguments);
  return written;
}
int __printf_chk(int flag, const char* format, ...) {
  (void)flag;
  va_list arguments;
  va_start(arguments, format);
  const int written = vprintf(format, arguments);
  va_end(arguments);
  return written;
}
char* __strcpy_chk(char* to, const char* from, size_t size) {
  (void)size;
  return strcpy(to, from);
}
char* __strncpy_chk(char* to, const char* from, size_t most, size_t size) {
  (void)size;
  return strncpy(to, from, most);
}
char* __strcat_chk(char* to, const char* from, size_t size) {
  (void)size;
  return strcat(to, from);
}
void* __memcpy_chk(void* to, const void* from, size_t bytes, size_t size) {
  (void)size;
  return memcpy(to, from, bytes);
}
void* __memmove_chk(void* to, const void* from, size_t bytes, size_t size) {
  (void)size;
  return memmove(to, from, bytes);
}
void* __memset_chk(void* to, int value, size_t bytes, size_t size) {
  (void)size;
  return memset(to, value, bytes);
}
