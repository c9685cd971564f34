#include "said.h"

extern "C" int inOther(int);

inline KEPT int shared(int x) {
	SAYS("__Z6sharedi");
	return x + 1;
}

template <class T> KEPT T twice(T x) {
	SAYS("__Z5twiceIiET_S0_");
	return x + shared(1);
}

struct Loud {
	int value;
	KEPT Loud(int n) : value(n) {
		SAYS("__ZN4LoudC2Ei");
	}
	KEPT ~Loud() {
		SAYS("__ZN4LoudD2Ev");
	}
};
static Loud first(1);

namespace {
KEPT int unnamed(int x) {
	SAYS("classes.o:__ZN12_GLOBAL__N_17unnamedEi");
	return x * 7;
}
}

extern "C" int inCpp(int x) {
	SAYS("_inCpp");
	return twice(x) + unnamed(x) + inOther(x);
}
