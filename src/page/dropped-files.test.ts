import fs from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { DroppedFiles } from './dropped-files.js';

test('files stay in their own folder whatever they are called, two of one name apart, and go away', async () => {
	const dropped = new DroppedFiles();
	for (const name of ['../../etc/passwd', '..', 'C:\\a\\b.log', 'a\0b\u202e.jfr', 'x.log', 'x.log', `${'l'.repeat(500)}.jfr`, '']) {
		await dropped.add(name, Readable.from([Buffer.from('one'), Buffer.from('two')]));
	}
	const files = dropped.take();
	expect(files.map(({ name }) => name)).toEqual(['passwd', '_', 'b.log', 'a_b_.jfr', 'x.log', 'x.log', `${'l'.repeat(116)}.jfr`, 'dropped']);
	expect(new Set(files.map(({ filePath }) => filePath)).size).toBe(files.length);
	for (const { filePath } of files) {
		expect(fs.readFileSync(filePath, 'utf8')).toBe('onetwo');
	}
	expect(dropped.take()).toEqual([]);
	await dropped.add('x.log', Readable.from([Buffer.from('later')]));
	const later = dropped.take();
	expect(later.map(({ filePath }) => fs.readFileSync(filePath, 'utf8'))).toEqual(['later']);
	dropped.forget(later);
	expect(later.some(({ filePath }) => fs.existsSync(filePath))).toBe(false);
	dropped.remove();
	expect(files.some(({ filePath }) => fs.existsSync(filePath))).toBe(false);
});
