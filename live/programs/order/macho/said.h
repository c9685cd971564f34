/* Each function says its name as the linker of a Mach-O program sees it when it runs first: what the log has to hold, in this order. */
#ifdef __cplusplus
extern "C" {
#endif
int printf(const char *, ...);
int puts(const char *);
int raise(int);
int usleep(unsigned);
int fork(void);
void _exit(int) __attribute__((noreturn));
char *getenv(const char *);
int strcmp(const char *, const char *);
#ifdef __cplusplus
}
#endif
#define SAYS(name)                 \
	do {                           \
		static int isSaid;         \
		if (!isSaid) {             \
			isSaid = 1;            \
			puts("ran " name);     \
		}                          \
	} while (0)
#define KEPT __attribute__((noinline))
