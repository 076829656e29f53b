// The library that loaded_program loads while it runs.
unsigned CountBits(const unsigned char* bytes, unsigned n);
unsigned CountBits(const unsigned char* bytes, unsigned n) {
  unsigned count = 0;
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned byte = bytes[i]; byte != 0; byte &= byte - 1) ++count;
  }
  return count;
}

unsigned ForEach(unsigned n, unsigned (*visit)(unsigned, void*), void* cookie);
unsigned ForEach(unsigned n, unsigned (*visit)(unsigned, void*), void* cookie) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; ++i) sum += i % 3 == 1 ? visit(i, cookie) : i;
  return sum;
}
