/* A program with children: one that ends by _exit, one that becomes another program, one by vfork; then it waits for a signal, if asked. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int fromLibrary(int number);

__attribute__((noinline)) void inChild(void) { puts("child"); }
__attribute__((noinline)) void inStarted(void) { puts("started"); }
__attribute__((noinline)) void inParent(void) { puts("parent"); }
__attribute__((noinline)) void beforeKill(void) { puts("killed"); }

/* An intrinsic whose only attribute is that it touches no memory. */
__attribute__((noinline)) int infinite(double number) { return isinf(number) != 0; }

int main(int count, char **words) {
	setvbuf(stdout, NULL, _IONBF, 0);
	if (count > 1 && strcmp(words[1], "started") == 0) {
		inStarted();
		return 0;
	}
	int status = fromLibrary(count) + infinite(count);
	pid_t child = fork();
	if (child == 0) {
		inChild();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	child = fork();
	if (child == 0) {
		execl(words[0], words[0], "started", (char *)0);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (child == 0) {
		_exit(0);
	}
	waitpid(child, NULL, 0);
	inParent();
	if (count > 1 && strcmp(words[1], "signal") == 0) {
		raise(SIGUSR1);
		beforeKill();
		raise(SIGKILL);
	}
	return status == 4 ? 0 : 1;
}
