#include "said.h"

static KEPT int same(int x) {
	SAYS("other.o:_same");
	return x ^ 5;
}

KEPT int deep(int x) {
	SAYS("_deep");
	return x * x;
}

int other(int x) {
	SAYS("_other");
	return same(x) + deep(x);
}
