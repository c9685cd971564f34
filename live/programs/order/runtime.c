// What instrumented programs do to the runtime: end in every way, fork, run threads, ask for a dump.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int assay_order_dump(void);

#define F(n) __attribute__((noinline)) int f_##n(int x) { return x * 3 + n; }
#define TEN(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4)
#undef F
#define F(n) f_##n,
static int (*const functions[])(int) = {HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4)};
enum { COUNT = sizeof functions / sizeof functions[0] };

static volatile int sink;

// Not instrumented: the order of the functions above is all that a test looks at.
__attribute__((annotate("assay_order_skip"))) static void call(int from, int to) {
	for (int i = from; i < to; i++) {
		sink += functions[i](i);
	}
}

__attribute__((annotate("assay_order_skip"))) static void *callAll(void *start) {
	pthread_barrier_wait(start);
	call(0, COUNT);
	return NULL;
}

__attribute__((annotate("assay_order_skip"))) static void say(const char *text) {
	printf("%s\n", text);
	fflush(stdout);
}

__attribute__((annotate("assay_order_skip"))) static void waitForInput(void) {
	char line[16];
	while (fgets(line, sizeof line, stdin) == NULL && !feof(stdin)) {
		clearerr(stdin);
	}
}

__attribute__((annotate("assay_order_skip"))) int main(int argc, char **argv) {
	const char *mode = argc > 1 ? argv[1] : "exit";
	call(0, 3);
	if (strcmp(mode, "all") == 0) {
		call(0, COUNT);
	} else if (strcmp(mode, "threads") == 0) {
		pthread_barrier_t barrier;
		pthread_t threads[8];
		pthread_barrier_init(&barrier, NULL, 8);
		for (int i = 0; i < 8; i++) {
			pthread_create(&threads[i], NULL, callAll, &barrier);
		}
		for (int i = 0; i < 8; i++) {
			pthread_join(threads[i], NULL);
		}
	} else if (strcmp(mode, "fork") == 0) {
		pid_t child = fork();
		if (child == 0) {
			call(10, 13);
			exit(0);
		}
		waitpid(child, NULL, 0);
		call(20, 22);
	} else if (strcmp(mode, "kill") == 0) {
		call(3, 6);
		raise(SIGKILL);
	} else if (strcmp(mode, "fork-kill") == 0) {
		pid_t child = fork();
		if (child == 0) {
			call(10, 13);
			raise(SIGKILL);
		}
		waitpid(child, NULL, 0);
		call(20, 22);
		raise(SIGKILL);
	} else if (strcmp(mode, "quick") == 0) {
		quick_exit(4);
	} else if (strcmp(mode, "at-once") == 0) {
		_exit(4);
	} else if (strcmp(mode, "request") == 0) {
		int result = assay_order_dump();
		call(3, 5);
		printf("%d\n", result);
		fflush(stdout);
		_exit(4);
	} else if (strcmp(mode, "sleep") == 0) {
		struct timespec time = {0, 600000000};
		nanosleep(&time, NULL);
		call(3, 5);
	} else if (strcmp(mode, "wait") == 0) {
		say("ready");
		waitForInput();
		call(3, 5);
		_exit(4);
	} else if (strcmp(mode, "folder") == 0) {
		if (chdir("/") != 0) {
			return 1;
		}
	} else if (strcmp(mode, "rights") == 0) {
		// As servers do that root starts.
		if (chroot("/proc") != 0 || chdir("/") != 0 || setgid(65534) != 0 || setuid(65534) != 0) {
			return 1;
		}
	} else if (strcmp(mode, "close") == 0) {
		for (int handle = 3; handle < 1024; handle++) {
			close(handle);
		}
	} else if (strcmp(mode, "run") == 0) {
		// Another program with the same environment while this one runs.
		int status = system(argv[2]);
		return status == 0 ? 4 : 5;
	}
	return 4;
}
