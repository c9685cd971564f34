/* Runs one of the generated loops for some seconds: skid NAME SECONDS. Without arguments lists their names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Made by programs.js; the last has no name. */
extern const struct {
	const char *name;
	void (*run)(uint64_t *buffer, uint64_t iterations);
} kernels[];

enum { LINES = 1 << 20, WORDS = 8 };

static double now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

/*
 * One random cycle through all lines of 64 MB: word 0 of a line is the address of the next line, word 1 the position of the next line's
 * word 1. Words 2 and 3 of the first line are where the two chains have got to.
 */
static uint64_t *make_chains(void) {
	uint64_t *buffer = aligned_alloc(4096, (size_t)LINES * WORDS * sizeof *buffer);
	uint32_t *order = malloc(LINES * sizeof *order);
	uint64_t random = 88172645463325252u;
	if (buffer == NULL || order == NULL) {
		exit(3);
	}
	for (uint32_t i = 0; i < LINES; i++) {
		order[i] = i;
	}
	for (uint32_t i = LINES - 1; i > 0; i--) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		uint32_t other = random % i, line = order[i];
		order[i] = order[other];
		order[other] = line;
	}
	for (uint32_t i = 0; i < LINES; i++) {
		uint64_t line = order[i], next = order[(i + 1) % LINES];
		buffer[line * WORDS] = (uint64_t)(buffer + next * WORDS);
		buffer[line * WORDS + 1] = next * WORDS + 1;
	}
	buffer[2] = (uint64_t)buffer;
	buffer[3] = 1;
	free(order);
	return buffer;
}

int main(int argc, char **argv) {
	for (int i = 0; kernels[i].name != NULL; i++) {
		if (argc < 3) {
			puts(kernels[i].name);
		} else if (strcmp(kernels[i].name, argv[1]) == 0) {
			uint64_t *buffer = make_chains(), iterations = 1000;
			double end = now() + atof(argv[2]);
			for (double start = now(); start < end;) {
				kernels[i].run(buffer, iterations);
				double stop = now();
				iterations *= stop - start < 0.05 ? 2 : 1;
				start = stop;
			}
			return 0;
		}
	}
	return argc < 3 ? 0 : 2;
}
