import { expect, test } from 'vitest';
import { differentFlags, jvmFlags } from './jvm-flags.js';

test('flags of a command line, the last of two', () => {
	expect([...(jvmFlags('-Xmx1g -XX:MaxInlineLevel=15 -XX:+UseSerialGC -XX:-Inline -XX:MaxInlineLevel=1 -Dname=-XX:+No -Xint -cp a:b -Xlog:gc') ?? [])]).toEqual(
		[
			['Xmx', '1g'],
			['MaxInlineLevel', '1'],
			['UseSerialGC', 'true'],
			['Inline', 'false'],
			['Xint', ''],
		],
	);
	expect(jvmFlags(null)).toBeNull();
	expect(jvmFlags('')?.size).toBe(0);
});

test('flags that differ, as on a command line; how a run is recorded makes no difference', () => {
	const a = jvmFlags('-Xmx1g -XX:+UseSerialGC -XX:LogFile=/a.log -XX:+PrintAssembly');
	const b = jvmFlags('-Xmx2g -XX:+UseSerialGC -XX:LogFile=/b.log -XX:MaxInlineLevel=1 -XX:-Inline -Xint');
	expect(differentFlags(a, b)).toEqual({ a: ['-Xmx1g'], b: ['-Xmx2g', '-XX:MaxInlineLevel=1', '-XX:-Inline', '-Xint'] });
	expect(differentFlags(a, a)).toEqual({ a: [], b: [] });
	const commands = jvmFlags(
		'-XX:CompileCommand=memstat,*.*,print -XX:CompileCommand=dontinline,a.B::c -XX:CompileCommand=quiet -XX:CompileCommand=exclude,a.B::d',
	);
	expect(differentFlags(jvmFlags(''), commands)).toEqual({ a: [], b: ['-XX:CompileCommand=dontinline,a.B::c', '-XX:CompileCommand=exclude,a.B::d'] });
	expect(differentFlags(a, null)).toBeNull();
});
