#include "said.h"

inline KEPT int shared(int x) {
	SAYS("__Z6sharedi");
	return x + 1;
}

extern "C" int inOther(int x) {
	SAYS("_inOther");
	return shared(x);
}
