/*
 * The runtime of programs that assay instrumented (assay order instrument, assay order cc): it holds the buffer that functions log their first execution
 * into, and writes it to a file. C11 and libc; compile it without flags (cc -O2 -c; for a shared library -fPIC -DASSAY_ORDER_LIBRARY) and link the object to the
 * program. docs/order-formats.md describes the file.
 *
 * What the environment says, read once, before main:
 *   ASSAY_ORDER_FILE           where to write; %p is the process id, %t the time in seconds, %% a %, ~/ in front what HOME says. Without it nothing is done.
 *   ASSAY_ORDER_DUMP_AFTER_MS  write after so many milliseconds, and not at exit any more
 *   ASSAY_ORDER_SIGNAL         signals that make it write, such as USR2 or TERM,10; none: no signal; USR1 by default, if nobody handles it
 *   ASSAY_ORDER_FILE_BACKED=1  map the buffer to the file: it is complete also when the process is killed
 *
 * It sets ASSAY_ORDER_STARTED there to the number of the process that was started with ASSAY_ORDER_FILE, so that the programs which that one starts write files
 * of their own.
 *
 * Functions of the program run, and log, before any of this: buffer and index are constants of the program and need no start.
 * Writing calls only what may be called in a signal handler.
 *
 * ELF programs of Unix, and Mach-O programs of Apple's systems. There the headers of an SDK are taken if it has any; where the compiler has none, as on another system,
 * compile with -nostdlibinc: what is needed of them is declared below.
 */
#define _GNU_SOURCE
#if defined(__MACH__) && !__has_include(<mach/mach_time.h>)
#define HAS_SDK 0
#else
#define HAS_SDK 1
#endif
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#if HAS_SDK
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __MACH__
#include <crt_externs.h>
#include <mach-o/dyld.h>
#endif
#endif
#ifdef __linux__
#include <sys/auxv.h>
#include <sys/syscall.h>
#endif
#if !defined(__ELF__) && !defined(__MACH__)
#error "programs instrumented by assay are ELF or Mach-O programs"
#endif

#if !HAS_SDK
/* What Darwin's headers say, as far as it is used here: <errno.h>, <fcntl.h>, <pthread.h>, <signal.h>, <sys/mman.h>, <time.h>, <unistd.h> and others. */
typedef long ssize_t;
typedef int64_t off_t;
typedef int32_t pid_t;
typedef uint32_t clockid_t;
typedef long time_t;
typedef uint32_t sigset_t;
typedef struct opaquePthread *pthread_t;
typedef struct opaqueAttributes pthread_attr_t;
struct timespec {
	time_t tv_sec;
	long tv_nsec;
};
typedef struct siginfo siginfo_t;
struct sigaction {
	union {
		void (*handler)(int);
		void (*action)(int, siginfo_t *, void *);
	} function;
	sigset_t sa_mask;
	int sa_flags;
};
#define sa_handler function.handler
#define sa_sigaction function.action
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
int *__error(void);
#define errno (*__error())
enum { EPERM = 1, ENOENT = 2, EINTR = 4, EACCES = 13, EEXIST = 17, ENOTDIR = 20, EISDIR = 21, ENFILE = 23, EMFILE = 24, ENOSPC = 28, EROFS = 30, ENAMETOOLONG = 63 };
enum { O_RDONLY = 0, O_RDWR = 2, O_NONBLOCK = 4, O_CREAT = 0x200, O_EXCL = 0x800, O_CLOEXEC = 0x1000000 };
enum { SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGTERM = 15, SIGUSR1 = 30, SIGUSR2 = 31 };
enum { SA_ONSTACK = 1, SA_RESTART = 2, SA_SIGINFO = 0x40, SIG_UNBLOCK = 2, SIG_SETMASK = 3, PTHREAD_CANCEL_DISABLE = 0 };
enum { PROT_READ = 1, PROT_WRITE = 2, MAP_SHARED = 1, MAP_FIXED = 0x10, SEEK_SET = 0, SEEK_CUR = 1, CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 6, _SC_PAGESIZE = 29 };
#define MAP_FAILED ((void *)-1)
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
long strtol(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
char *getenv(const char *);
int setenv(const char *, const char *, int);
char *getcwd(char *, size_t);
pid_t getpid(void);
int issetugid(void);
long sysconf(int);
int open(const char *, int, ...);
int close(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
off_t lseek(int, off_t, int);
int ftruncate(int, off_t);
int rename(const char *, const char *);
int unlink(const char *);
void *mmap(void *, size_t, int, int, int, off_t);
int clock_gettime(clockid_t, struct timespec *);
int nanosleep(const struct timespec *, struct timespec *);
int raise(int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigprocmask(int, const sigset_t *, sigset_t *);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigismember(const sigset_t *, int);
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_cancel(pthread_t);
int pthread_setcancelstate(int, int *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
char ***_NSGetArgv(void);
const void *_dyld_get_image_header(uint32_t);
#endif

/* The program pays for the runtime's size, not for its speed. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#else
#pragma GCC optimize("Os")
#endif

#define HIDDEN __attribute__((visibility("hidden")))
#define DEFAULT_CAPACITY 131072
#ifdef __MACH__
#define PAGE 16384
#elif defined(__x86_64__) || defined(__i386__)
#define PAGE 4096
#define PAGE_TEXT "4096"
#else
#define PAGE 65536
#define PAGE_TEXT "65536"
#endif
#define PATH_BYTES 4096

struct entry {
	uint32_t module;
	uint32_t function;
};

/* The header of a dump. */
struct header {
	char magic[8];
	uint32_t byteOrder;
	uint32_t version;
	uint32_t headerBytes;
	uint32_t flags;
	uint64_t sizeBytes;
	uint64_t buildId;
	uint64_t processStamp;
	uint32_t processId;
	uint32_t reason;
	uint32_t capacity;
	uint32_t logged;
	uint64_t modulesOffset;
	uint32_t moduleCount;
	uint32_t checksum;
	uint64_t entriesOffset;
	uint32_t entryCount;
	uint32_t pointerBytes;
	uint64_t imageStamp;
	uint64_t timeNs;
	union {
		struct entry *_Atomic next; /* where the next entry goes; beyond the buffer's end it goes on counting */
		uint64_t space;
	};
	uint64_t buffer;
};
_Static_assert(sizeof(struct header) == 128, "the header of a dump has 128 bytes");
_Static_assert(offsetof(struct header, next) == 112, "instrumented functions take their slot at byte 112");

/* What an instrumented module has in its section; a byte or a bit for each function follows. */
struct module {
	uint32_t id;
	uint32_t functionCount;
	uint64_t hash;
	uint32_t sizeBytes;
	uint32_t flags;
#ifdef __MACH__
	uint32_t bufferEntries;
	uint32_t unused;
#endif
};

enum { FLAG_RING = 1, FLAG_FILE_BACKED = 2 };
enum reason { EXIT = 1, SIGNAL = 2, REQUEST = 3, TIMER = 4, FILE_BACKED = 5 };

/*
 * The buffer has a section of its own that takes no room in the file. It is weak, and so is its end: a module may bring others. While the program runs, the
 * index is in the header's page; the page and the buffer can be mapped to a file. With Mach-O it is a common symbol, of which the linker takes the largest, and
 * each module knows the end of its own.
 */
#ifdef __MACH__
HIDDEN __attribute__((common, aligned(PAGE))) struct entry __assay_order_buffer[DEFAULT_CAPACITY];
#else
__asm__(
	".pushsection assay_order_buffer,\"aw\",%nobits\n"
	".weak __assay_order_buffer\n"
	".hidden __assay_order_buffer\n"
	".type __assay_order_buffer,%object\n"
	".size __assay_order_buffer,1048576\n"
	".balign " PAGE_TEXT "\n"
	"__assay_order_buffer:\n"
	".zero 1048576\n"
	".popsection\n");
extern HIDDEN struct entry __assay_order_buffer[];

HIDDEN __attribute__((weak)) struct entry *const __assay_order_end = __assay_order_buffer + DEFAULT_CAPACITY;
#endif

HIDDEN _Alignas(PAGE) union {
	struct header header;
	char page[PAGE];
} __assay_order_header = {.header = {.next = __assay_order_buffer}};

#ifdef __MACH__
extern char firstModule[] __asm("section$start$__DATA$__assay_modules");
extern char endOfModules[] __asm("section$end$__DATA$__assay_modules");
#else
extern HIDDEN __attribute__((weak)) char firstModule[] __asm__("__start_assay_order_modules");
extern HIDDEN __attribute__((weak)) char endOfModules[] __asm__("__stop_assay_order_modules");
#endif

#if defined(__GLIBC__)
#if !__GLIBC_PREREQ(2, 34)
#pragma weak pthread_create
#pragma weak pthread_join
#pragma weak pthread_cancel
#pragma weak pthread_setcancelstate
#pragma weak pthread_atfork
#endif
#endif

static char pattern[PATH_BYTES]; /* absolute; empty: nothing is written */
static int hasProcessId;         /* %p is in it */
static int isFileBacked;
static pid_t firstProcess; /* whose file has the name that was asked for */
static pid_t ownProcess; /* not that of a child by vfork, which runs in our memory */
static uint64_t startNs;
static _Atomic int isWriting;
static _Atomic int writeAgain;
static _Atomic int isDone; /* by the timer */
static int isFinished; /* at exit */
static int hasTimer;
static pthread_t timerThread;
static struct timespec deadline;

HIDDEN int assay_order_dump(void);
static int dump(enum reason reason);

/* Text, without stdio: also in signal handlers. */

struct text {
	char *bytes;
	size_t length;
	size_t size;
};

static void put(struct text *text, const char *from, size_t length) {
	for (size_t i = 0; i < length; i++) {
		if (text->length + 1 < text->size) {
			text->bytes[text->length] = from[i];
		}
		text->length++;
	}
	text->bytes[text->length < text->size ? text->length : text->size - 1] = 0;
}

static void putText(struct text *text, const char *from) {
	put(text, from, strlen(from));
}

static void putNumber(struct text *text, uint64_t number) {
	char digits[20];
	int at = sizeof digits;
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	put(text, digits + at, sizeof digits - (size_t)at);
}

static const char *reasonOf(int error) {
	switch (error) {
	case EACCES:
	case EPERM:
		return "permission denied";
	case ENOENT:
		return "no such folder";
	case ENOTDIR:
		return "a part of the path is not a folder";
	case EISDIR:
		return "it is a folder";
	case ENOSPC:
		return "no space left";
	case EROFS:
		return "the file system is read-only";
	case ENAMETOOLONG:
		return "the name is too long";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	default:
		return NULL;
	}
}

static void complain(const char *what, const char *path, int error) {
	char bytes[PATH_BYTES + 256];
	struct text text = {bytes, 0, sizeof bytes};
	putText(&text, "assay: ");
	putText(&text, what);
	putText(&text, path);
	if (error != 0) {
		const char *reason = reasonOf(error);
		putText(&text, ": ");
		if (reason != NULL) {
			putText(&text, reason);
		} else {
			putText(&text, "error ");
			putNumber(&text, (uint64_t)error);
		}
	}
	putText(&text, "\n");
	ssize_t ignored = write(2, bytes, text.length < sizeof bytes ? text.length : sizeof bytes - 1);
	(void)ignored;
}

static uint64_t nowNs(clockid_t clock) {
	struct timespec now = {0, 0};
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The same in all images of a process; differs between processes, also after fork. */
static uint64_t processStamp(void) {
	uint64_t stamp = 0;
#ifdef __linux__
	const void *random = (const void *)getauxval(AT_RANDOM);
	if (random != NULL) {
		memcpy(&stamp, random, sizeof stamp);
	}
#endif
#ifdef __MACH__
	/* Where the system put the program and its arguments. */
	stamp = (uint64_t)(uintptr_t)_dyld_get_image_header(0) ^ (uint64_t)(uintptr_t)*_NSGetArgv() << 20;
#endif
	return stamp ^ ((uint64_t)getpid() * 0x9e3779b97f4a7c15u);
}

/* Where to write. A process that was forked from the one that began has a file of its own. */
static int expand(char *path, size_t size) {
	struct text text = {path, 0, size};
	for (const char *at = pattern; *at != 0; at++) {
		if (at[0] == '%' && at[1] == 'p') {
			putNumber(&text, (uint64_t)getpid());
			at++;
		} else if (at[0] == '%' && at[1] == 't') {
			putNumber(&text, nowNs(CLOCK_REALTIME) / 1000000000u);
			at++;
		} else if (at[0] == '%' && at[1] == '%') {
			put(&text, "%", 1);
			at++;
		} else {
			put(&text, at, 1);
		}
	}
	if (getpid() != firstProcess && !hasProcessId) {
		putText(&text, ".");
		putNumber(&text, (uint64_t)getpid());
	}
	return text.length + 32 < size;
}

/* Modules: the section is a row of records. */

static const struct module *nextModule(const struct module *module) {
	const char *at = module == NULL ? firstModule : (const char *)module + module->sizeBytes;
#ifndef __MACH__
	if (firstModule == NULL) {
		return NULL;
	}
#endif
	if (at + sizeof(struct module) > (const char *)endOfModules) {
		return NULL;
	}
	return ((const struct module *)at)->sizeBytes < sizeof(struct module) ? NULL : (const struct module *)at;
}

static void describe(struct header *header, enum reason reason) {
	memset(header, 0, sizeof *header);
	memcpy(header->magic, "ASSAYORD", 8);
	header->byteOrder = 0x01020304;
	header->version = 1;
	header->headerBytes = sizeof *header;
	header->processStamp = processStamp();
	header->processId = (uint32_t)getpid();
	header->reason = reason;
#ifdef __MACH__
	for (const struct module *module = nextModule(NULL); module != NULL; module = nextModule(module)) {
		header->capacity = module->bufferEntries > header->capacity ? module->bufferEntries : header->capacity;
	}
#else
	/* Volatile: a compiler may take the weak constant above for the one that is linked. */
	header->capacity = (uint32_t)(*(struct entry *const volatile *)&__assay_order_end - __assay_order_buffer);
#endif
	header->logged = (uint32_t)(atomic_load(&__assay_order_header.header.next) - __assay_order_buffer);
	header->entryCount = header->logged < header->capacity ? header->logged : header->capacity;
	header->pointerBytes = sizeof(void *);
	header->imageStamp = (uint64_t)(uintptr_t)&__assay_order_header;
	header->timeNs = nowNs(CLOCK_REALTIME);
	for (const struct module *module = nextModule(NULL); module != NULL; module = nextModule(module)) {
		header->moduleCount++;
		header->buildId += module->hash;
		header->flags |= module->flags & FLAG_RING;
	}
}

/* Writing. */

struct output {
	int file;
	int error;
	uint32_t crc;
	size_t filled;
	unsigned char block[4096];
};

static uint32_t crc32(uint32_t before, const unsigned char *bytes, size_t length) {
	/* Filled when it is needed; two threads would fill it with the same. */
	static uint32_t table[256];
	for (uint32_t byte = 0; table[255] == 0 && byte < 256; byte++) {
		uint32_t value = byte;
		for (int bit = 0; bit < 8; bit++) {
			value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
		}
		table[byte] = value;
	}
	uint32_t crc = ~before;
	for (size_t i = 0; i < length; i++) {
		crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
	}
	return ~crc;
}

static void writeAll(struct output *output, const void *bytes, size_t length) {
	const char *at = bytes;
	while (length > 0 && output->error == 0) {
		ssize_t count = write(output->file, at, length);
		if (count > 0) {
			at += count;
			length -= (size_t)count;
		} else if (count == 0 || errno != EINTR) {
			output->error = count == 0 ? ENOSPC : errno;
		}
	}
}

static void flush(struct output *output) {
	output->crc = crc32(output->crc, output->block, output->filled);
	writeAll(output, output->block, output->filled);
	output->filled = 0;
}

/* Threads go on logging: what is written is a copy, and the checksum is that of the copy. */
static void emit(struct output *output, const void *bytes, size_t length) {
	const char *at = bytes;
	while (length > 0) {
		size_t room = sizeof output->block - output->filled;
		size_t part = length < room ? length : room;
		memcpy(output->block + output->filled, at, part);
		output->filled += part;
		at += part;
		length -= part;
		if (output->filled == sizeof output->block) {
			flush(output);
		}
	}
}

static void emitModules(struct output *output) {
	for (const struct module *module = nextModule(NULL); module != NULL; module = nextModule(module)) {
		emit(output, module, 16);
	}
}

static void emitDump(struct output *output, enum reason reason) {
	struct header header;
	describe(&header, reason);
	header.modulesOffset = sizeof header;
	header.entriesOffset = header.modulesOffset + 16 * (uint64_t)header.moduleCount;
	header.sizeBytes = header.entriesOffset + sizeof(struct entry) * (uint64_t)header.entryCount;
	off_t start = lseek(output->file, 0, SEEK_CUR);
	emit(output, &header, sizeof header);
	emitModules(output);
	emit(output, __assay_order_buffer, sizeof(struct entry) * (size_t)header.entryCount);
	flush(output);
	if (output->error == 0 && pwrite(output->file, &output->crc, 4, start + (off_t)offsetof(struct header, checksum)) != 4) {
		output->error = errno;
	}
}

/* Dumps that other images of this process wrote into the file before stay in it. */
static void keepOthers(struct output *output, int old) {
	struct header header;
	while (read(old, &header, sizeof header) == (ssize_t)sizeof header) {
		int isOurs = memcmp(header.magic, "ASSAYORD", 8) == 0 && header.byteOrder == 0x01020304 && header.processStamp == processStamp() &&
		             header.sizeBytes >= sizeof header;
		if (!isOurs) {
			return;
		}
		int isKept = header.imageStamp != (uint64_t)(uintptr_t)&__assay_order_header && (header.flags & FLAG_FILE_BACKED) == 0;
		uint64_t left = header.sizeBytes - sizeof header;
		if (isKept) {
			writeAll(output, &header, sizeof header);
		}
		while (left > 0) {
			size_t part = left < sizeof output->block ? (size_t)left : sizeof output->block;
			ssize_t count = read(old, output->block, part);
			if (count <= 0) {
				return;
			}
			if (isKept) {
				writeAll(output, output->block, (size_t)count);
			}
			left -= (uint64_t)count;
		}
	}
}

/* Whether another process wrote the file while this one ran: it is not overwritten then. */
static int isOfAnother(int old, uint64_t *process) {
	struct header header;
	if (pread(old, &header, sizeof header, 0) != (ssize_t)sizeof header || memcmp(header.magic, "ASSAYORD", 8) != 0) {
		return 0;
	}
	*process = header.processId;
	return header.byteOrder == 0x01020304 && header.processStamp != processStamp() && header.timeNs >= startNs;
}

/* Files of the dump. Their folder is opened when the program begins: a server may give up its rights, or change its root, before it writes. */
#ifdef __linux__
static int folder = -1;
static struct stat folderStatus;
static size_t folderBytes; /* of the path, with the / behind it */
#define HIGH_HANDLE 400     /* few programs count so far, and a limit is rarely lower */

static void openFolder(void) {
	const char *slash = strrchr(pattern, '/');
	char path[PATH_BYTES];
	if (slash == NULL || memchr(pattern, '%', (size_t)(slash - pattern)) != NULL) {
		return;
	}
	folderBytes = (size_t)(slash - pattern) + 1;
	memcpy(path, pattern, folderBytes);
	path[folderBytes] = 0;
	int opened = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (opened >= 0) {
		folder = fcntl(opened, F_DUPFD_CLOEXEC, HIGH_HANDLE);
		close(opened);
		if (folder >= 0 && fstat(folder, &folderStatus) != 0) {
			folder = -1;
		}
	}
}

/* The folder, and the name in it; where the program closed it the path, which may be of no use any more. */
static int folderOf(const char **path) {
	struct stat now;
	if (folder < 0 || fstat(folder, &now) != 0 || now.st_dev != folderStatus.st_dev || now.st_ino != folderStatus.st_ino || now.st_nlink == 0) {
		return AT_FDCWD;
	}
	*path += folderBytes;
	return folder;
}

static int openFile(const char *path, int flags) {
	int in = folderOf(&path);
	return openat(in, path, flags, 0666);
}

static int renameFile(const char *from, const char *to) {
	int in = folderOf(&from);
	int into = folderOf(&to);
	return renameat(in, from, into, to);
}

static void unlinkFile(const char *path) {
	int in = folderOf(&path);
	unlinkat(in, path, 0);
}
#else
static void openFolder(void) {
}

static int openFile(const char *path, int flags) {
	return open(path, flags, 0666);
}

static int renameFile(const char *from, const char *to) {
	return rename(from, to);
}

static void unlinkFile(const char *path) {
	unlink(path);
}
#endif

static void sleepMs(long ms) {
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}

/* The temporary file is also what keeps two images of a process from writing at the same time. */
static int openTemporary(const char *temporary) {
	for (int tries = 0;; tries++) {
		int file = openFile(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
		if (file >= 0 || errno != EEXIST || tries > 2000) {
			return file;
		}
		if (tries == 2000) {
			unlinkFile(temporary);
		}
		sleepMs(1);
	}
}

static void addProcess(char *path, size_t size) {
	struct text text = {path, strlen(path), size};
	putText(&text, ".");
	putNumber(&text, (uint64_t)getpid());
}

static void temporaryName(const char *path, char *temporary, size_t size) {
	struct text text = {temporary, 0, size};
	putText(&text, path);
	putText(&text, ".");
	putNumber(&text, (uint64_t)getpid());
	putText(&text, ".tmp");
}

static int writeDump(enum reason reason) {
	char path[PATH_BYTES];
	char temporary[PATH_BYTES];
	if (!expand(path, sizeof path)) {
		complain("the order dump was not written to ", path, ENAMETOOLONG);
		return -1;
	}
	int old = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t process = 0;
	if (old >= 0 && isOfAnother(old, &process)) {
		close(old);
		old = -1;
		addProcess(path, sizeof path);
		complain("another process wrote the order dump meanwhile, this one is ", path, 0);
	}
	temporaryName(path, temporary, sizeof temporary);
	struct output output = {.file = openTemporary(temporary)};
	if (output.file < 0) {
		output.error = errno;
	} else {
		if (old >= 0) {
			keepOthers(&output, old);
		}
		emitDump(&output, reason);
		if (close(output.file) != 0 && output.error == 0) {
			output.error = errno;
		}
		if (output.error == 0 && renameFile(temporary, path) != 0) {
			output.error = errno;
		}
		if (output.error != 0) {
			unlinkFile(temporary);
		}
	}
	if (old >= 0) {
		close(old);
	}
	if (output.error != 0) {
		complain("the order dump was not written to ", path, output.error);
		return -1;
	}
	return 0;
}

/* One at a time. A signal handler does not wait: it may have interrupted the one that writes, which then writes again. Nobody else waits for ever. */
static int dump(enum reason reason) {
	if (pattern[0] == 0) {
		return -1;
	}
	int savedErrno = errno;
	int result = 0;
	for (int tries = 0; atomic_exchange(&isWriting, 1) != 0; tries++) {
		if (reason == SIGNAL || tries > 5000) {
			atomic_store(&writeAgain, 1);
			return 0;
		}
		sleepMs(1);
	}
	do {
		atomic_store(&writeAgain, 0);
		if (reason != EXIT || atomic_load(&isDone) == 0) {
			result = writeDump(reason);
		}
		if (reason == TIMER && result == 0) {
			atomic_store(&isDone, 1);
		}
	} while (atomic_load(&writeAgain) != 0);
	atomic_store(&isWriting, 0);
	errno = savedErrno;
	return result;
}

/* Writes what ran in this image, an executable or a shared library, now. 0: written; -1: not, ASSAY_ORDER_FILE is not set or a message says why. */
HIDDEN int assay_order_dump(void) {
	return dump(REQUEST);
}

/*
 * Linked with --wrap=_exit,--wrap=_Exit processes end here that end without what is done at exit, as forked children do. A child by vfork has nothing of its own to
 * tell. In a static program the C library's exit comes by here, too. The C library's own function is not called: a weak name does not make a linker take it
 * out of an archive.
 */
#ifdef __linux__
HIDDEN __attribute__((noreturn)) void __wrap__exit(int status) {
	if (!isFinished && getpid() == ownProcess) {
		dump(EXIT);
	}
	for (;;) {
		syscall(SYS_exit_group, status);
	}
}

HIDDEN __attribute__((noreturn)) void __wrap__Exit(int status) {
	__wrap__exit(status);
}
#endif

/* File-backed: the header's page and the buffer become a file, which the kernel keeps when the process is killed. */

static int mapOver(void *address, size_t length, int file, off_t offset) {
	return mmap(address, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, offset) == MAP_FAILED ? errno : 0;
}

static void backByFile(void) {
	char path[PATH_BYTES];
	char temporary[PATH_BYTES];
	if (sysconf(_SC_PAGESIZE) > PAGE) {
		complain("pages of this machine are too large for ASSAY_ORDER_FILE_BACKED: the order dump is written at exit", "", 0);
		return;
	}
	if (!expand(path, sizeof path)) {
		complain("the order dump cannot be mapped to ", path, ENAMETOOLONG);
		return;
	}
	int old = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (old >= 0) {
		/* Of another image of this process: a file has room for one. */
		struct header header;
		int isOurs = pread(old, &header, sizeof header, 0) == (ssize_t)sizeof header && memcmp(header.magic, "ASSAYORD", 8) == 0 &&
		             header.processStamp == processStamp() && header.imageStamp != (uint64_t)(uintptr_t)&__assay_order_header;
		close(old);
		if (isOurs) {
			struct text text = {path, strlen(path), sizeof path};
			putText(&text, ".image");
			putNumber(&text, (uint64_t)(uintptr_t)&__assay_order_header);
		}
	}
	temporaryName(path, temporary, sizeof temporary);
	struct output output = {.file = openTemporary(temporary)};
	if (output.file < 0) {
		complain("the order dump cannot be mapped to ", path, errno);
		return;
	}
	struct header header;
	describe(&header, FILE_BACKED);
	size_t bufferBytes = ((size_t)header.capacity * sizeof(struct entry) + PAGE - 1) / PAGE * PAGE;
	size_t usedBytes = header.entryCount * sizeof(struct entry);
	header.flags |= FLAG_FILE_BACKED;
	header.entriesOffset = PAGE;
	header.entryCount = header.capacity;
	header.buffer = (uintptr_t)__assay_order_buffer;
	atomic_init(&header.next, atomic_load(&__assay_order_header.header.next));
	header.modulesOffset = PAGE + bufferBytes;
	header.sizeBytes = header.modulesOffset + 16 * (uint64_t)header.moduleCount;
	header.timeNs = startNs;
	emit(&output, &header, sizeof header);
	flush(&output);
	lseek(output.file, PAGE, SEEK_SET);
	emit(&output, __assay_order_buffer, usedBytes);
	flush(&output);
	lseek(output.file, (off_t)header.modulesOffset, SEEK_SET);
	emitModules(&output);
	flush(&output);
	if (output.error == 0 && ftruncate(output.file, (off_t)header.sizeBytes) != 0) {
		output.error = errno;
	}
	if (output.error == 0) {
		/* The buffer first: what is logged from then on is counted in the page that follows. */
		output.error = mapOver(__assay_order_buffer, bufferBytes, output.file, PAGE);
	}
	if (output.error == 0) {
		output.error = mapOver(&__assay_order_header, PAGE, output.file, 0);
	}
	if (output.error == 0 && renameFile(temporary, path) != 0) {
		output.error = errno;
	}
	close(output.file);
	if (output.error != 0) {
		unlinkFile(temporary);
		complain("the order dump cannot be mapped to ", path, output.error);
	}
}

/* The timer is a thread: no signal of the program is taken, no call interrupted. */

static void *waitAndDump(void *unused) {
	int state;
	(void)unused;
#ifdef __MACH__
	for (;;) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		int64_t left = (int64_t)(deadline.tv_sec - now.tv_sec) * 1000000000 + (deadline.tv_nsec - now.tv_nsec);
		if (left <= 0) {
			break;
		}
		struct timespec time = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
		nanosleep(&time, NULL);
	}
#else
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR) {
	}
#endif
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	dump(TIMER);
	return NULL;
}

static void startTimer(void) {
	sigset_t all;
	sigset_t before;
	sigfillset(&all);
	hasTimer = 0;
#if defined(__GLIBC__)
#if !__GLIBC_PREREQ(2, 34)
	if (pthread_create == NULL) {
		complain("ASSAY_ORDER_DUMP_AFTER_MS needs -lpthread with this libc: the order dump is written at exit", "", 0);
		return;
	}
#endif
#endif
	sigprocmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&timerThread, NULL, waitAndDump, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		complain("ASSAY_ORDER_DUMP_AFTER_MS: the thread cannot be started, the order dump is written at exit", "", error);
		return;
	}
	hasTimer = 1;
}

/* Signals. */

static const struct {
	const char *name;
	int number;
} SIGNALS[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM}};
#define MAX_SIGNALS 8
static int handledSignals[MAX_SIGNALS];
static struct sigaction formerActions[MAX_SIGNALS];
static int handledCount;

/* Signals that no handler but ours blocks just so, real-time ones where there are any: this is how an image knows the handler of another. */
#ifdef __MACH__
static const int MARKED[] = {7, 12, 16, 21, 23, 25};
#else
static const int MARKED[] = {37, 41, 43, 47, 53, 59};
#endif

static void mark(sigset_t *mask) {
	for (size_t i = 0; i < sizeof MARKED / sizeof MARKED[0]; i++) {
		sigaddset(mask, MARKED[i]);
	}
}

static int isMarked(const sigset_t *mask) {
	for (size_t i = 0; i < sizeof MARKED / sizeof MARKED[0]; i++) {
		if (sigismember(mask, MARKED[i]) != 1 || sigismember(mask, MARKED[i] + 1) != 0) {
			return 0;
		}
	}
	return 1;
}

static void onSignal(int number, siginfo_t *info, void *context) {
	dump(SIGNAL);
	for (int i = 0; i < handledCount; i++) {
		if (handledSignals[i] != number) {
			continue;
		}
		struct sigaction *former = &formerActions[i];
		if (former->sa_flags & SA_SIGINFO) {
			former->sa_sigaction(number, info, context);
		} else if (former->sa_handler != SIG_DFL && former->sa_handler != SIG_IGN) {
			former->sa_handler(number);
		} else if (former->sa_handler == SIG_DFL && number != SIGUSR1 && number != SIGUSR2) {
			/* It would have ended the process. */
			sigset_t set;
			sigemptyset(&set);
			sigaddset(&set, number);
			sigaction(number, former, NULL);
			raise(number);
			pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		}
		return;
	}
}

static void handle(int number, int evenIfHandled) {
	struct sigaction action;
	struct sigaction former;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = onSignal;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	mark(&action.sa_mask);
	if (handledCount == MAX_SIGNALS || sigaction(number, NULL, &former) != 0) {
		return;
	}
	/* Shared libraries begin before the program, and each writes what ran in it. */
	int isHandled = ((former.sa_flags & SA_SIGINFO) != 0 || former.sa_handler != SIG_DFL) && !isMarked(&former.sa_mask);
	if (isHandled && !evenIfHandled) {
		return;
	}
	handledSignals[handledCount] = number;
	formerActions[handledCount] = former;
	handledCount++;
	sigaction(number, &action, NULL);
}

static int signalOf(const char *name, size_t length) {
	if (length > 3 && strncmp(name, "SIG", 3) == 0) {
		return signalOf(name + 3, length - 3);
	}
	int number = 0;
	for (size_t i = 0; i < length; i++) {
		number = name[i] >= '0' && name[i] <= '9' && number >= 0 && number < 1000 ? number * 10 + name[i] - '0' : -1;
	}
	for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
		if (strlen(SIGNALS[i].name) == length && strncmp(SIGNALS[i].name, name, length) == 0) {
			number = SIGNALS[i].number;
		}
	}
	return length > 0 && number > 0 && number < 65 ? number : -1;
}

static void handleSignals(const char *list) {
	if (list == NULL) {
		handle(SIGUSR1, 0);
		return;
	}
	if (strcmp(list, "none") == 0) {
		return;
	}
	while (*list != 0) {
		size_t length = strcspn(list, ", ");
		int number = signalOf(list, length);
		if (number < 0) {
			complain("ASSAY_ORDER_SIGNAL has a signal that is not known: ", list, 0);
			return;
		}
		handle(number, 1);
		list += length + strspn(list + length, ", ");
	}
}

static const char *setting(const char *name) {
#ifdef __linux__
	/* The user of a program with more rights than his own does not say where it writes. */
	if (getauxval(AT_SECURE) != 0) {
		return NULL;
	}
#elif defined(__MACH__)
	if (issetugid()) {
		return NULL;
	}
#endif
	const char *value = getenv(name);
	return value == NULL || *value == 0 ? NULL : value;
}

/* The process whose file has the name that was asked for: this one, or the one that started it, or started the one that did. */
static pid_t startedProcess(void) {
	static char bytes[64];
	const char *name = "ASSAY_ORDER_STARTED";
	const char *before = getenv(name);
	long number = before == NULL ? 0 : strtol(before, NULL, 10);
	if (number > 0) {
		return (pid_t)number;
	}
	struct text text = {bytes, 0, sizeof bytes};
	putNumber(&text, (uint64_t)getpid());
	setenv(name, bytes, 1);
	return getpid();
}

static void afterFork(void) {
	ownProcess = getpid();
	atomic_store(&isWriting, 0);
	atomic_store(&writeAgain, 0);
	startNs = nowNs(CLOCK_REALTIME);
	if (isFileBacked) {
		backByFile();
	}
	if (hasTimer && atomic_load(&isDone) == 0) {
		startTimer();
	} else {
		hasTimer = 0;
	}
}

/* A % in a folder's name is no placeholder. */
static void putFolder(struct text *text, const char *folder) {
	for (const char *at = folder; *at != 0; at++) {
		putText(text, *at == '%' ? "%%" : "");
		put(text, at, *at == '%' ? 0 : 1);
	}
	putText(text, "/");
}

#ifdef __MACH__
/* Constructors run in the order of the link, and destructors in the opposite one: the runtime is linked first. */
#define FIRST_CONSTRUCTOR __attribute__((constructor))
#define LAST_DESTRUCTOR __attribute__((destructor))
#else
#define FIRST_CONSTRUCTOR __attribute__((constructor(101)))
#define LAST_DESTRUCTOR __attribute__((destructor(101)))

#ifdef ASSAY_ORDER_LIBRARY
#pragma weak dlsym
extern void *dlsym(void *library, const char *name);
extern void *__dso_handle __attribute__((visibility("hidden")));

static void onQuickExit(void *ignored) {
	(void)ignored;
	dump(EXIT);
}

/* By a name that the linker does not see: builds look whether a library refers to anything with "exit" in its name, which could end the process (PostgreSQL's libpq). */
static void registerQuickExit(void) {
	if (dlsym == NULL) {
		return;
	}
	int (*registered)(void (*)(void *), void *) = NULL;
	*(void **)&registered = dlsym(NULL, "__cxa_at_quick_exit");
	if (registered != NULL) {
		registered(onQuickExit, &__dso_handle);
	}
}
#else
static void onQuickExit(void) {
	dump(EXIT);
}

static void registerQuickExit(void) {
	at_quick_exit(onQuickExit);
}
#endif
#endif

/* Before the constructors of the program: it may change its folder, its environment or its handlers there. */
FIRST_CONSTRUCTOR static void start(void) {
	const char *file = setting("ASSAY_ORDER_FILE");
	const char *after = setting("ASSAY_ORDER_DUMP_AFTER_MS");
	const char *backed = setting("ASSAY_ORDER_FILE_BACKED");
	int savedErrno = errno;
	if (file == NULL) {
		return;
	}
	struct text text = {pattern, 0, sizeof pattern};
	static char current[PATH_BYTES];
	const char *home = file[0] == '~' && file[1] == '/' ? getenv("HOME") : NULL;
	if (home != NULL && *home != 0) {
		putFolder(&text, home);
		file += 2;
	} else if (file[0] != '/' && getcwd(current, sizeof current) != NULL) {
		putFolder(&text, current);
	}
	putText(&text, file);
	if (text.length >= sizeof pattern) {
		pattern[0] = 0;
		complain("ASSAY_ORDER_FILE is too long; no order dump is written", "", 0);
		return;
	}
	for (const char *at = file; *at != 0; at++) {
		if (at[0] == '%' && at[1] != 0) {
			hasProcessId |= at[1] == 'p';
			at++;
		}
	}
	openFolder();
	firstProcess = startedProcess();
	ownProcess = getpid();
	startNs = nowNs(CLOCK_REALTIME);
	isFileBacked = backed != NULL && strcmp(backed, "0") != 0;
	if (isFileBacked) {
		backByFile();
	}
	if (after != NULL) {
		char *end = NULL;
		unsigned long long ms = strtoull(after, &end, 10);
		if (end == after || *end != 0 || after[0] == '-' || ms > 1000000000u) {
			complain("ASSAY_ORDER_DUMP_AFTER_MS is expected to be a number of milliseconds, the order dump is written at exit: ", after, 0);
		} else {
			clock_gettime(CLOCK_MONOTONIC, &deadline);
			uint64_t nanoseconds = (uint64_t)deadline.tv_nsec + (uint64_t)(ms % 1000) * 1000000u;
			deadline.tv_sec += (time_t)(ms / 1000 + nanoseconds / 1000000000u);
			deadline.tv_nsec = (long)(nanoseconds % 1000000000u);
			startTimer();
		}
	}
	handleSignals(setting("ASSAY_ORDER_SIGNAL"));
	pthread_atfork(NULL, NULL, afterFork);
#ifndef __MACH__
	registerQuickExit();
#endif
	errno = savedErrno;
}

/* After all destructors of the program: static objects of C++ are gone by then. */
LAST_DESTRUCTOR static void finish(void) {
	for (int i = 0; i < handledCount; i++) {
		struct sigaction now;
		if (sigaction(handledSignals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onSignal) {
			sigaction(handledSignals[i], &formerActions[i], NULL);
		}
	}
	handledCount = 0;
	if (hasTimer) {
		hasTimer = 0;
		pthread_cancel(timerThread);
		pthread_join(timerThread, NULL);
	}
	dump(EXIT);
	isFinished = 1;
}

#ifdef __clang__
#pragma clang attribute pop
#endif
