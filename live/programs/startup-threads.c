// Calls from several threads and from a child, in one module, for uftrace and the hooks of -finstrument-functions.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
static __attribute__((noinline)) int leaf(int x) { return sink = x + 1; }
__attribute__((noinline)) int work(int x) { return leaf(x) * 2; }
static void *thread(void *argument) {
	work(3);
	return argument;
}
int child(void) { return work(1); }
__attribute__((constructor)) static void before(void) { sink = 1; }

int main(void) {
	pthread_t started;
	pthread_create(&started, 0, thread, 0);
	pthread_join(started, 0);
	pid_t forked = fork();
	if (forked == 0) {
		child();
		_exit(0);
	}
	int status;
	waitpid(forked, &status, 0);
	return 0;
}
