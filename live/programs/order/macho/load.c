/*
 * Runs an x86-64 Mach-O program on x86-64 Linux, as far as the live tests of Mach-O need it: maps its segments where it was linked, binds what it takes of libSystem to
 * functions below or of this machine's libc, calls its constructors and main. No dyld: nothing is slid, no library is loaded.
 *   load PROGRAM [ARGUMENT...]
 * The formats: <mach-o/loader.h>; opcodes of binding: <mach-o/loader.h>, BIND_OPCODE_*.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char **arguments;
static uint8_t *header;

static void stop(const char *what, const char *which) {
	fprintf(stderr, "load: %s %s\n", what, which);
	_exit(99);
}

/* What differs between Darwin and Linux. */

static int darwinOpen(const char *path, int flags, ...) {
	va_list rest;
	va_start(rest, flags);
	int mode = flags & 0x200 ? va_arg(rest, int) : 0;
	va_end(rest);
	int known = (flags & 3) | (flags & 4 ? O_NONBLOCK : 0) | (flags & 0x200 ? O_CREAT : 0) | (flags & 0x800 ? O_EXCL : 0) | (flags & 0x1000000 ? O_CLOEXEC : 0);
	return open(path, known, mode);
}

static int *darwinError(void) {
	return &errno;
}

static long darwinSysconf(int name) {
	return name == 29 ? sysconf(_SC_PAGESIZE) : -1;
}

static int darwinClock(uint32_t clock, struct timespec *now) {
	return clock_gettime(clock == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, now);
}

static const void *imageHeader(uint32_t number) {
	return number == 0 ? header : NULL;
}

static char ***argumentsPointer(void) {
	return &arguments;
}

static int isSetugid(void) {
	return 0;
}

static const int SIGNALS[][2] = {{1, SIGHUP}, {2, SIGINT}, {3, SIGQUIT}, {15, SIGTERM}, {30, SIGUSR1}, {31, SIGUSR2}};

static int toLinux(int signal) {
	for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
		if (SIGNALS[i][0] == signal) {
			return SIGNALS[i][1];
		}
	}
	return 0;
}

static int toDarwin(int signal) {
	for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
		if (SIGNALS[i][1] == signal) {
			return SIGNALS[i][0];
		}
	}
	return 0;
}

struct darwinAction {
	void (*handler)(int, void *, void *);
	uint32_t mask;
	int flags;
};
static struct darwinAction actions[32];

static void onSignal(int signal, siginfo_t *info, void *context) {
	actions[toDarwin(signal)].handler(toDarwin(signal), info, context);
}

static int darwinSigaction(int signal, const struct darwinAction *now, struct darwinAction *before) {
	if (before != NULL) {
		*before = actions[signal];
	}
	if (now != NULL) {
		actions[signal] = *now;
		struct sigaction action = {.sa_flags = SA_RESTART | SA_SIGINFO};
		if ((uintptr_t)now->handler > 1) {
			action.sa_sigaction = onSignal;
		} else {
			action.sa_flags = 0;
			action.sa_handler = now->handler == NULL ? SIG_DFL : SIG_IGN;
		}
		return sigaction(toLinux(signal), &action, NULL);
	}
	return 0;
}

static int darwinSigprocmask(int how, const uint32_t *set, uint32_t *before) {
	static uint32_t current;
	if (before != NULL) {
		*before = current;
	}
	if (set != NULL) {
		current = how == 3 ? *set : how == 2 ? current & ~*set : current | *set;
		sigset_t all;
		if (current == UINT32_MAX) {
			sigfillset(&all);
		} else {
			sigemptyset(&all);
		}
		return sigprocmask(SIG_SETMASK, &all, NULL);
	}
	return 0;
}

static int darwinSigfillset(uint32_t *set) {
	*set = UINT32_MAX;
	return 0;
}

static int darwinSigemptyset(uint32_t *set) {
	*set = 0;
	return 0;
}

static int darwinSigaddset(uint32_t *set, int signal) {
	*set |= 1u << (signal - 1);
	return 0;
}

static int darwinSigismember(const uint32_t *set, int signal) {
	return *set >> (signal - 1) & 1;
}

static int darwinRaise(int signal) {
	return raise(toLinux(signal));
}

static int darwinCancelState(int state, int *before) {
	int old;
	int result = pthread_setcancelstate(state == 0 ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, &old);
	*before = old == PTHREAD_CANCEL_DISABLE ? 0 : 1;
	return result;
}

static uint64_t stackGuard = 0x123456789abcdef0;

static void stackFailure(void) {
	stop("the stack was overwritten", "");
}

extern int __cxa_atexit(void (*)(void *), void *, void *);
extern int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));

static const struct {
	const char *name;
	void *address;
} KNOWN[] = {
	{"___bzero", bzero},
	{"___cxa_atexit", __cxa_atexit},
	{"___error", darwinError},
	{"___stack_chk_fail", stackFailure},
	{"___stack_chk_guard", &stackGuard},
	{"__NSGetArgv", argumentsPointer},
	{"__dyld_get_image_header", imageHeader},
	{"_bzero", bzero},
	{"_clock_gettime", darwinClock},
	{"_close", close},
	{"_fflush", fflush},
	{"_fork", fork},
	{"_ftruncate", ftruncate},
	{"_getcwd", getcwd},
	{"_getenv", getenv},
	{"_getpid", getpid},
	{"_issetugid", isSetugid},
	{"_lseek", lseek},
	{"_memcmp", memcmp},
	{"_memcpy", memcpy},
	{"_memset", memset},
	{"_mmap", mmap},
	{"_nanosleep", nanosleep},
	{"_open", darwinOpen},
	{"_pread", pread},
	{"_printf", printf},
	{"_pthread_atfork", pthread_atfork},
	{"_pthread_cancel", pthread_cancel},
	{"_pthread_create", pthread_create},
	{"_pthread_join", pthread_join},
	{"_pthread_setcancelstate", darwinCancelState},
	{"_pthread_sigmask", darwinSigprocmask},
	{"_puts", puts},
	{"_pwrite", pwrite},
	{"_raise", darwinRaise},
	{"_read", read},
	{"_rename", rename},
	{"_setenv", setenv},
	{"_sigaction", darwinSigaction},
	{"_sigaddset", darwinSigaddset},
	{"_sigemptyset", darwinSigemptyset},
	{"_sigfillset", darwinSigfillset},
	{"_sigismember", darwinSigismember},
	{"_sigprocmask", darwinSigprocmask},
	{"_strcmp", strcmp},
	{"_strcspn", strcspn},
	{"_strlen", strlen},
	{"_strncmp", strncmp},
	{"_strspn", strspn},
	{"_strtol", strtol},
	{"_strtoull", strtoull},
	{"_sysconf", darwinSysconf},
	{"_unlink", unlink},
	{"_usleep", usleep},
	{"__exit", _exit},
	{"_write", write},
	{"dyld_stub_binder", stackFailure},
};

static void *addressOf(const char *name) {
	for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
		if (strcmp(KNOWN[i].name, name) == 0) {
			return KNOWN[i].address;
		}
	}
	stop("the program needs", name);
	return NULL;
}

/* The file. */

struct loadCommand {
	uint32_t command;
	uint32_t size;
};
struct segment {
	uint32_t command;
	uint32_t size;
	char name[16];
	uint64_t address;
	uint64_t memoryBytes;
	uint64_t fileOffset;
	uint64_t fileBytes;
	uint32_t maximalProtection;
	uint32_t protection;
	uint32_t sectionCount;
	uint32_t flags;
};
struct section {
	char name[16];
	char segment[16];
	uint64_t address;
	uint64_t sizeBytes;
	uint32_t rest[8];
};

static struct segment *segments[16];
static int segmentCount;

static uint64_t number(const uint8_t **at) {
	uint64_t value = 0;
	for (int shift = 0;; shift += 7) {
		uint8_t byte = *(*at)++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			return value;
		}
	}
}

static void bind(const uint8_t *at, uint32_t sizeBytes) {
	const uint8_t *end = at + sizeBytes;
	const char *name = "";
	uint64_t place = 0;
	while (at < end) {
		uint8_t opcode = *at & 0xf0;
		uint8_t small = *at & 15;
		at++;
		switch (opcode) {
		case 0x00: /* done: the next of the lazy ones follows */
		case 0x10: /* ordinals of libraries */
		case 0x30:
		case 0x50: /* type */
			break;
		case 0x20:
			number(&at);
			break;
		case 0x40:
			name = (const char *)at;
			at += strlen(name) + 1;
			break;
		case 0x60:
			number(&at);
			break;
		case 0x70:
			place = segments[small]->address + number(&at);
			break;
		case 0x80:
			place += number(&at);
			break;
		case 0x90:
		case 0xa0:
		case 0xb0:
			*(void **)place = addressOf(name);
			place += 8 + (opcode == 0xa0 ? number(&at) : opcode == 0xb0 ? 8 * (uint64_t)small : 0);
			break;
		case 0xc0: {
			uint64_t count = number(&at);
			uint64_t skip = number(&at);
			for (; count > 0; count--, place += 8 + skip) {
				*(void **)place = addressOf(name);
			}
			break;
		}
		default:
			stop("an opcode of binding is not known", "");
		}
	}
}

int main(int argc, char **argv, char **environment) {
	if (argc < 2) {
		stop("name a program", "");
	}
	arguments = argv + 1;
	setvbuf(stdout, NULL, _IONBF, 0);
	int file = open(argv[1], O_RDONLY);
	struct stat status;
	if (file < 0 || fstat(file, &status) != 0) {
		stop("cannot read", argv[1]);
	}
	uint8_t *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	uint32_t *head = (uint32_t *)bytes;
	if (bytes == MAP_FAILED || head[0] != 0xfeedfacf || head[1] != 0x01000007) {
		stop("no Mach-O program for x86-64:", argv[1]);
	}
	uint32_t *dyldInfo = NULL;
	uint64_t entry = 0;
	uint8_t *at = bytes + 32;
	for (uint32_t i = 0; i < head[4]; i++, at += ((struct loadCommand *)at)->size) {
		switch (((struct loadCommand *)at)->command) {
		case 0x19: {
			struct segment *segment = (struct segment *)at;
			segments[segmentCount++] = segment;
			if (segment->protection == 0) {
				break;
			}
			void *mapped = mmap((void *)segment->address, segment->memoryBytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
			if (mapped != (void *)segment->address) {
				stop("cannot map", segment->name);
			}
			memcpy(mapped, bytes + segment->fileOffset, segment->fileBytes);
			if (segment->fileOffset == 0) {
				header = mapped;
			}
			break;
		}
		case 0x22:
		case 0x80000022:
			dyldInfo = (uint32_t *)at;
			break;
		case 0x80000028:
			entry = *(uint64_t *)(at + 8);
			break;
		case 0x80000034:
			stop("link with -no_fixup_chains:", argv[1]);
		}
	}
	if (dyldInfo == NULL || header == NULL) {
		stop("nothing tells what to bind:", argv[1]);
	}
	bind(bytes + dyldInfo[4], dyldInfo[5]);
	bind(bytes + dyldInfo[8], dyldInfo[9]);
	for (int i = 0; i < segmentCount; i++) {
		struct section *section = (struct section *)(segments[i] + 1);
		for (uint32_t j = 0; j < segments[i]->sectionCount; j++, section++) {
			if ((section->rest[4] & 255) == 9) {
				void (**constructors)(int, char **, char **, char **) = (void *)section->address;
				for (uint64_t k = 0; k < section->sizeBytes / 8; k++) {
					constructors[k](argc - 1, argv + 1, environment, argv);
				}
			}
		}
	}
	if (entry == 0) {
		stop("no LC_MAIN:", argv[1]);
	}
	exit(((int (*)(int, char **, char **))(header + entry))(argc - 1, argv + 1, environment));
}
