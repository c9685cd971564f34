/** What a browser is given, and that the server answers it. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createOpener } from './opener.js';
import { servePage } from './server.js';

test('the page that leads to the address can be read by its owner only, and goes', () => {
	const { file, remove } = createOpener('http://127.0.0.1:1/secret/');
	expect(fs.readFileSync(file, 'utf8')).toContain('url=http://127.0.0.1:1/secret/');
	expect([fs.statSync(file).mode & 0o777, fs.statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
	expect(file).not.toContain('secret');
	remove();
	expect(fs.existsSync(path.dirname(file))).toBe(false);
});

test('another site may lead to the page, and to nothing else', async () => {
	const shell = { script: '', style: '', scriptHash: '', styleHash: '' };
	const server = await servePage(
		{ shell, title: 'a', parts: new Map([['main', Buffer.alloc(0)]]), state: { revision: 1, problem: null }, detail: () => Promise.resolve(null) },
		0,
		() => Promise.resolve(),
	);
	// Not fetch, which has a mode of its own.
	const status = (place: string, headers: Record<string, string>): Promise<number | undefined> =>
		new Promise((resolve) => {
			http.get(server.url + place, { headers }, (response) => resolve(response.resume().statusCode));
		});
	const led = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
	expect(await status('', led)).toBe(200);
	expect(await status('data/main', led)).toBe(403);
	expect(await status('', { ...led, 'sec-fetch-dest': 'iframe' })).toBe(403);
	expect(await status('', { 'sec-fetch-site': 'cross-site' })).toBe(403);
	await server.close();
});
