/* Evaluates one script with QuickJS: `print`, no modules. */
#include <stdio.h>
#include <stdlib.h>
#include "quickjs.h"

static char text[1 << 20];

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *values) {
	for (int i = 0; i < count; i++) {
		const char *string = JS_ToCString(context, values[i]);
		printf("%s%c", string ? string : "?", i + 1 < count ? ' ' : '\n');
		if (string) {
			JS_FreeCString(context, string);
		}
	}
	return JS_UNDEFINED;
}

int main(int argc, char **argv) {
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!file) {
		return 2;
	}
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	JSRuntime *runtime = JS_NewRuntime();
	JSContext *context = JS_NewContext(runtime);
	JSValue global = JS_GetGlobalObject(context);
	JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, print, "print", 1));
	JS_FreeValue(context, global);
	JSValue result = JS_Eval(context, text, length, argv[1], JS_EVAL_TYPE_GLOBAL);
	int failed = JS_IsException(result);
	JS_FreeValue(context, result);
	JSContext *pending;
	while (JS_ExecutePendingJob(runtime, &pending) > 0) {
	}
	JS_FreeContext(context);
	JS_FreeRuntime(runtime);
	return failed;
}
