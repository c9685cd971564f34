// The second module of startup-a.cpp: another static function called helper.
#include <string>

static __attribute__((noinline)) int helper(int x) { return x - 7; }
inline int digits(int x) { return static_cast<int>(std::to_string(x).size()); }
int other(int x) { return helper(x) + digits(x); }
