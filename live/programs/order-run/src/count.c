/** Counts the words of its arguments. */
#include <stdlib.h>
#include <string.h>
#include "parts.h"

PAD(pad_before)

__attribute__((noinline)) static void start(int count) {
	if (count > 100) {
		rarely();
	}
}

PAD(pad_behind)

int main(int argc, char **argv) {
	start(argc);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--fail") == 0) {
			exit(3);
		}
		report(argv[i], count_words(argv[i]));
	}
	return 0;
}
