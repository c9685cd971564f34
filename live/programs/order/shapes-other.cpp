// The second file: equal static names, the same inline functions and templates, what is thrown.
#include "shapes.h"

static NOINLINE int helper(int x) { return x - 1; }

Square::~Square() = default;
double Square::area() const { return side * side; }
int Square::id() const { return helper(43); }

Counter::Counter() : value(100) {}
Counter::~Counter() { value = 0; }
thread_local Counter perThread;

NOINLINE int throwing(int depth) {
	if (depth < 0) {
		throw std::out_of_range("negative");
	}
	if (depth == 0) {
		throw Failure("deep", 42);
	}
	return throwing(depth - 1) + 1;
}

NOINLINE int fromOther(int x) { return helper(x) + shared(x) + sumOf(std::vector<int>{x, x}); }
