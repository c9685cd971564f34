/** Functions that run, with pages of others between them. */
struct counted {
	long words;
	long lines;
};

struct counted count_words(const char *text);
void report(const char *name, struct counted counted);
void rarely(void);

/** A function that nothing runs, of nearly a page. */
#define PAD(name) \
	__attribute__((noinline, used)) static void name(void) { __asm__ volatile(".skip 4000, 0x90"); }
