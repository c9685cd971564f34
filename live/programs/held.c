#include <jni.h>

__attribute__((noinline)) static long mix_numbers(long from, int rounds) {
	for (int i = 0; i < rounds; i++) {
		from = from * 6364136223846793005L + 1442695040888963407L;
		__asm__ volatile("" : "+r"(from));
	}
	return from;
}

JNIEXPORT jlong JNICALL Java_Held_work(JNIEnv *env, jclass of, jint rounds) {
	(void)env;
	(void)of;
	return mix_numbers(1, rounds);
}
