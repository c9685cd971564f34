#include "said.h"

int other(int);
int inCpp(int);
int named(int) __asm("no_underscore");
int secondNamed(int) __asm("_given$NAME");

static KEPT int same(int x) {
	SAYS("main.o:_same");
	return x + 1;
}

KEPT int twice(int x) {
	SAYS("_twice");
	return x + x;
}

KEPT int neverRun(int x) {
	SAYS("_neverRun");
	return x - 7;
}

KEPT __attribute__((weak)) int weakOne(int x) {
	SAYS("_weakOne");
	return x;
}

KEPT __attribute__((visibility("hidden"))) int hiddenOne(int x) {
	SAYS("_hiddenOne");
	return x;
}

KEPT int named(int x) {
	SAYS("no_underscore");
	return x;
}

KEPT int secondNamed(int x) {
	SAYS("_given$NAME");
	return x;
}

__attribute__((constructor)) static void begin(void) {
	SAYS("main.o:_begin");
}

__attribute__((destructor)) static void end(void) {
	SAYS("main.o:_end");
}

int main(int argc, char **argv) {
	SAYS("_main");
	int sum = twice(3) + same(4) + other(5) + inCpp(2) + weakOne(1) + hiddenOne(1) + named(1) + secondNamed(1);
	for (int i = 0; i < 1000; i++) {
		sum += twice(i) + same(i);
	}
	printf("%d\n", sum);
	if (argc > 1 && strcmp(argv[1], "signal") == 0) {
		raise(30);
		_exit(0);
	}
	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		usleep(2000000);
		_exit(0);
	}
	if (argc > 1 && strcmp(argv[1], "killed") == 0) {
		_exit(0);
	}
	if (argc > 1 && strcmp(argv[1], "never") == 0) {
		return neverRun(1);
	}
	return 0;
}
