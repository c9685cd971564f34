import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSources } from './java-sources.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-sources-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const write = (name: string, text: string): void => {
	fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
	fs.writeFileSync(path.join(folder, name), text);
};
write('T.java', 'class T {\r\n  int a;\r\n}\n');
write('app/a/b/C.java', 'package a.b;\nclass C {}\n');
write('java.base/java/util/Map.java', 'package java.util;\n');
write('secret.java', 'no\n');

test('lines by the class, in a folder and in the folders of modules', async () => {
	const sources = await openSources([folder]);
	expect(sources.line('T.f', 2)).toBe('  int a;');
	expect(sources.line('a.b.C$Inner$1.<init>', 2)).toBe('class C {}');
	expect(sources.line('a.b.C$$Lambda/0x00007f001.run', 1)).toBe('package a.b;');
	expect(sources.line('java.util.Map.of', 1)).toBe('package java.util;');
	expect((await openSources([path.join(folder, 'app')])).line('T.f', 1)).toBeNull();
});

test('what is not there', async () => {
	const sources = await openSources([folder]);
	expect([sources.line('T.f', 0), sources.line('T.f', 99), sources.line('x.Y.f', 1), sources.line('f', 1), sources.line('', 1)]).toEqual([
		null,
		null,
		null,
		null,
		null,
	]);
	expect(sources.line('../secret.f', 1)).toBeNull();
	expect(sources.line('a/b/C.f', 1)).toBeNull();
	expect((await openSources([])).line('T.f', 1)).toBeNull();
});

test('neither a folder nor an archive', async () => {
	await expect(openSources([path.join(folder, 'T.java')])).rejects.toThrow(/is neither a folder nor an archive of Java sources/);
	await expect(openSources([path.join(folder, 'nowhere')])).rejects.toThrow(/is neither a folder nor an archive of Java sources/);
});
