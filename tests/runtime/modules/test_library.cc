// A library with a little code and data, for module_table_test.cc to load.
extern "C" {
int softlbr_test_library_value = 1;
int softlbr_test_library_function(int value) { return value + softlbr_test_library_value; }
}
