#include <stdio.h>
#include "parts.h"

PAD(pad_before)

__attribute__((noinline)) static const char *step(long count) {
	return count == 1 ? "word" : "words";
}

PAD(pad_between)

void report(const char *name, struct counted counted) {
	printf("%s: %ld %s\n", name, counted.words, step(counted.words));
}

PAD(pad_behind)
