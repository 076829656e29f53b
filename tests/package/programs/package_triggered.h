#ifndef SOFTLBR_TESTS_PACKAGE_PROGRAMS_PACKAGE_TRIGGERED_H_
#define SOFTLBR_TESTS_PACKAGE_PROGRAMS_PACKAGE_TRIGGERED_H_

/* Waits under this name until one session has begun and ended. 0 on success. Only this is visible outside a plugin. */
#pragma GCC visibility push(default)
int PackageBeTriggered(const char* folder, const char* name);
#pragma GCC visibility pop

#endif
