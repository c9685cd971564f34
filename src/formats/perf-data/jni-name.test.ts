import { expect, test } from 'vitest';
import { methodOfJniFunction } from './jni-name.js';

test.each([
	['Java_java_util_zip_Deflater_deflateBytesBytes', 'java.util.zip.Deflater.deflateBytesBytes'],
	['Java_sun_nio_fs_UnixNativeDispatcher_open0', 'sun.nio.fs.UnixNativeDispatcher.open0'],
	['Java_a_B_1C_d_1e__JLjava_lang_String_2', 'a.B_C.d_e'],
	['Java_a_B_00024Inner_f', 'a.B$Inner.f'],
	['Java_a_B_f@@LIB_1.0', 'a.B.f'],
	['Java_main', null],
	['JVM_DefineClass', null],
	['', null],
])('%s', (symbol, method) => {
	expect(methodOfJniFunction(symbol)).toBe(method);
});
