#ifndef SOFTLBR_TESTS_PACKAGE_PROGRAMS_PACKAGE_RECORDING_H_
#define SOFTLBR_TESTS_PACKAGE_PROGRAMS_PACKAGE_RECORDING_H_

/* Results are those of softlbr.h, 0 on success. Only these are visible outside a plugin. */
#pragma GCC visibility push(default)
int PackageBegin(const char* path);
void PackageWorkUntilSampled(void);
void PackageWork(unsigned limit);
int PackageEnd(void);
#pragma GCC visibility pop

#endif
