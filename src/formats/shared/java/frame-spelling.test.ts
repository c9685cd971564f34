import { expect, test } from 'vitest';
import { frameOfSpelling, frameOfStackTrace, javaHolder, rowOfRecordedFrame, shownFrame } from './frame-spelling.js';

test.each([
	['java/util/HashMap', 'java.util.HashMap'],
	['java.util.HashMap', 'java.util.HashMap'],
	['Bias$$Lambda/0x000000003b047678', 'Bias$$Lambda/0x000000003b047678'],
	['a/Bias$$Lambda.0x3b', 'a.Bias$$Lambda/0x3b'],
	['a/Bias$$Lambda+0x3B', 'a.Bias$$Lambda/0x3B'],
	['a/Bias$$Lambda+0x3b/12345', 'a.Bias$$Lambda/0x3b'],
	['a/Bias$$Lambda+0x3b/-12345', 'a.Bias$$Lambda/0x3b'],
	['a/Bias$$Lambda+0x3b/x', 'a.Bias$$Lambda+0x3b.x'],
	['a/Bias+0x3b/B', 'a.Bias+0x3b.B'],
])('the holder %s', (spelling, holder) => {
	expect(javaHolder(spelling)).toBe(holder);
});

test.each<[string, string, number | null]>([
	['java/util/HashMap.getNode_[j]', 'java.util.HashMap.getNode', null],
	['java.util.HashMap.getNode:588', 'java.util.HashMap.getNode', 588],
	['java.util.HashMap.getNode:-2', 'java.util.HashMap.getNode', -2],
	['java.util.HashMap.getNode(Object, int)', 'java.util.HashMap.getNode', null],
	['a.B.c(I)Ljava/lang/Object;', 'a.B.c', null],
	['a.B.c(int):588', 'a.B.c', 588],
	['a.B::c', 'a.B.c', null],
	['a.B.<init>', 'a.B.<init>', null],
	['a.B.<clinit>:1', 'a.B.<clinit>', 1],
	['f_[0]', 'f', null],
	['f_[1]', 'f', null],
	['f_[i]', 'f', null],
	['do_syscall_64_[k]', '(kernel)', null],
	['a.B.c_[k]', '(kernel)', null],
	['f', '(native)', null],
	['f:12', '(native)', null],
	['libc.so.6', '(native)', null],
	['libjvm.so', '(native)', null],
	['ld-2.31.so', '(native)', null],
	['libc.so.6.12.memcpy', '(native)', null],
	['lib.so.x.y', 'lib.so.x.y', null],
	['libjvm.so`Parse::Parse', '(native)', null],
	['a b.c', '(native)', null],
	['(a.b)', '(native)', null],
	['[unknown_Java]', '(unknown)', null],
	['unknown_Java', '(unknown)', null],
	['no_Java_frame', '(unknown)', null],
	['[anything]', '(unknown)', null],
	['', '(unknown)', null],
])('the frame %j', (spelling, method, line) => {
	expect(frameOfSpelling(spelling)).toEqual({ method, line });
});

test.each([
	['java/util/HashMap.getNode_[j]', 'java.util.HashMap.getNode'],
	['a.B.c:7', 'a.B.c'],
	['do_syscall_64_[k]', 'do_syscall_64'],
	['memcpy:12', 'memcpy'],
	['memcpy:-12', 'memcpy'],
	['memcpy:12x', 'memcpy:12x'],
	['[unknown]', '[unknown]'],
])('the frame %j in a stack', (spelling, shown) => {
	expect(shownFrame(spelling)).toBe(shown);
});

test.each<[string, string, number]>([
	['java.base@25.0.3/java.lang.Thread.run(Thread.java:1474)', 'java.lang.Thread.run', 1474],
	['app//Mixer.map(Mixer.java:33)', 'Mixer.map', 33],
	['java.lang.Object.wait(java.base@17.0.15/Native Method)', 'java.lang.Object.wait', -1],
	['a.B.c(B.java)', 'a.B.c', -1],
	['a.B.c()', 'a.B.c', -1],
	['a.B.c(B.java:12345678)', 'a.B.c', -1],
	['a.B.c(B.java:1 x)', 'a.B.c', -1],
	['a.B$$Lambda/0x00ab.run(Unknown Source)', 'a.B$$Lambda/0x00ab.run', -1],
	['app//a.B$$Lambda/0x00ab.run(Unknown Source)', 'a.B$$Lambda/0x00ab.run', -1],
])('%s of a stack trace', (text, method, line) => {
	expect(frameOfStackTrace(text)).toEqual({ method, line });
});

test.each(['run(Thread.java:1)', 'app//run(A.java:1)', 'at a.B.c(B.java:1)', 'a.B.c(B.java:1) x', 'a.B.c', 'a.B.c(', '(B.java:1)', 'a.B.c(x(y))'])(
	'%j is no frame of a stack trace',
	(text) => {
		expect(frameOfStackTrace(text)).toBeNull();
	},
);

test.each<[string, string, string, string | null, string | null]>([
	['Kernel', '', 'do_syscall_64', null, '(kernel)'],
	['JIT compiled', 'a.B', 'c', '()V', null],
	['Interpreted', 'a.B', 'c', null, null],
	['', 'a.B', 'c', null, null],
	// A native method of Java.
	['Native', 'a.B', 'c', '()V', null],
	['Native', 'libc.so', 'memcpy', '()L;', '(native)'],
	['Native', 'libc.so', 'memcpy', null, '(native)'],
	['Native', '', 'memcpy', '()V', '(native)'],
	['Native', '', 'unknown_Java', null, '(unknown)'],
	['Native', 'libc.so', 'unknown_Java', null, '(native)'],
	['C++', 'a.B', 'c', '()V', '(native)'],
	['C++', '', '[unknown]', null, '(unknown)'],
])('a recorded frame of the kind %j: %s, %s, %s', (kind, holder, name, descriptor, row) => {
	expect(rowOfRecordedFrame(kind, holder, name, descriptor)).toBe(row);
});
