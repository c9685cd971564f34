// A program of our own with the shapes that instrumentation has to get right; prints the same whatever was done to it.
#include "shapes.h"
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

static NOINLINE int helper(int x) { return x * 3; }

Shape::~Shape() = default;

struct Global {
	NOINLINE Global() : table{{"one", 1}, {"two", 2}} {}
	NOINLINE ~Global() { std::printf("global gone %zu\n", table.size()); }
	std::map<std::string, int> table;
};
static Global global;

__attribute__((constructor(200))) static void early() { std::puts("early"); }
__attribute__((destructor)) static void late() { std::puts("late"); }

static NOINLINE int variadic(int count, ...) {
	va_list list;
	va_start(list, count);
	int sum = 0;
	for (int i = 0; i < count; i++) {
		sum += va_arg(list, int);
	}
	va_end(list);
	return sum;
}

// An array whose size is known when it runs.
static NOINLINE int dynamicArray(int size) {
	int values[size];
	for (int i = 0; i < size; i++) {
		values[i] = helper(i);
	}
	return values[size - 1];
}

static jmp_buf back;
static NOINLINE void jump() { longjmp(back, 7); }
static NOINLINE int jumping() {
	volatile int state = 1;
	if (int came = setjmp(back)) {
		return came + state;
	}
	state = 5;
	jump();
	return 0;
}

// Blocks whose address is taken, and a jump to one that is computed.
static NOINLINE int interpreter(const unsigned char *code) {
	static void *const OPS[] = {&&add, &&twice, &&end};
	int value = 1;
	goto *OPS[*code++];
add:
	value += 10;
	goto *OPS[*code++];
twice:
	value *= 2;
	goto *OPS[*code++];
end:
	return value;
}

// The first block ends with a switch, and values of the first block reach phis.
static NOINLINE int switching(int x) {
	switch (x) {
	case 1:
		return helper(1);
	case 2:
	case 3:
		x += 2;
		break;
	case 9:
		return 90;
	default:
		x = 4;
	}
	return x * 2;
}

static NOINLINE int looping(int n) {
	int a = 0;
	int b = 1;
	while (n-- > 0) {
		int next = a + b;
		a = b;
		b = next;
	}
	return a;
}

struct Big {
	int values[40];
};
static NOINLINE Big bigResult(int x) {
	Big big;
	std::memset(&big, 0, sizeof big);
	big.values[7] = x;
	return big;
}

static NOINLINE double floating(float a, double b, long double c) { return a * b + static_cast<double>(c); }
static NOINLINE __int128 wide(__int128 a, long long b) { return a * b; }
static NOINLINE int *identity(int *p) { return p; }

template <class F> static NOINLINE int apply(F f, int x) { return f(x); }

static NOINLINE int guarded(int depth) {
	try {
		return throwing(depth);
	} catch (const Failure &failure) {
		return failure.code;
	} catch (const std::exception &) {
		return -1;
	}
}

static NOINLINE int onThread(int x) {
	int result = 0;
	std::thread thread([&] { result = fromOther(x) + perThread.value; });
	thread.join();
	return result;
}

struct Lazy {
	NOINLINE Lazy() { std::puts("lazy"); }
	int value = 5;
};
static NOINLINE int lazy() {
	static Lazy once;
	return once.value;
}

int main(int argc, char **argv) {
	std::unique_ptr<Square> square(new Square(3));
	Shape *shape = square.get();
	Named *named = square.get();
	std::printf("%.1f %d %s\n", shape->area(), named->id(), shape->name().c_str());
	std::printf("%d %d\n", sumOf(std::vector<int>{1, 2, 3}), variadic(3, argc, 5, 6));
	int captured = argc;
	std::function<int(int)> function = [captured](int x) { return helper(x) + captured; };
	std::printf("%d %d\n", function(4), apply([&](int x) { return x - captured; }, 9));
	std::printf("%d %d %d\n", dynamicArray(argc + 4), jumping(), switching(argc));
	const unsigned char code[] = {0, 1, 0, 2};
	std::printf("%d %d\n", interpreter(code), looping(20));
	std::printf("%d %.1f %lld\n", bigResult(9).values[7], floating(1.5f, 2, 3), static_cast<long long>(wide(7, 6)));
	std::printf("%d %d %d\n", *identity(&captured), guarded(3), guarded(-1));
	// Two threads have no order: only when it is asked for.
	const bool isThreaded = argc > 1 && std::strcmp(argv[1], "threads") == 0;
	std::printf("%d %d\n", isThreaded ? onThread(5) : fromOther(5), perThread.value);
	std::printf("%d %d %d\n", lazy(), shared(1), lazy());
	std::printf("%d\n", argc > 1 && std::strcmp(argv[1], "more") == 0 ? switching(3) + fromOther(2) : 0);
	return global.table["two"];
}
