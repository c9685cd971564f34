/** `assay open` while its recording grows, and with files that are dropped on the page. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { compileProgram, findJdk } from './jdks.js';
import { type PageTools, pageTools, root, settled } from './page.js';

let tools: PageTools;
const servers: ChildProcess[] = [];
beforeAll(async () => {
	tools = await pageTools();
});
afterAll(async () => {
	for (const server of servers) {
		server.kill('SIGKILL');
	}
	await tools?.close();
});

/** The address that it prints. */
function serve(...argv: string[]): Promise<{ url: string; server: ChildProcess }> {
	const server = spawn(process.execPath, ['bin/assay.js', 'open', '--no-browser', ...argv], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
	servers.push(server);
	return new Promise((resolve, reject) => {
		let text = '';
		server.stdout?.on('data', (piece: Buffer) => {
			text += piece;
			const [, url] = /^(http:\S+)\n/m.exec(text) ?? [];
			if (url !== undefined) {
				resolve({ url, server });
			}
		});
		server.once('exit', (status) => reject(new Error(`assay open ended with ${status}`)));
	});
}

const drop = (page: Page, name: string, bytes: Buffer): Promise<void> =>
	page.evaluate<void>(`(() => {
		const bytes = Uint8Array.from(atob(${JSON.stringify(bytes.toString('base64'))}), (one) => one.charCodeAt(0));
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([bytes], ${JSON.stringify(name)}));
		document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
	})()`);

const compilationsOf = async (...files: string[]): Promise<number> =>
	JSON.parse((await runAssay(['report', ...files, '--json', '--no-index'], root)).stdout).result.compilations.length;

test('a recording that is being written: the page shows what comes, where it is, and says when the command ended', async () => {
	const folder = path.join(tools.folder, 'growing');
	const log = gunzipSync(fs.readFileSync(path.join(root, 'fixtures/jvm/safepoint/strip-jdk17-serial/hotspot.log.gz')));
	const half = log.indexOf('\n', Math.floor(log.length / 2)) + 1;
	const file = path.join(folder, 'hotspot.log');
	// It waits for a recording that has not begun.
	const served = serve(folder, '--follow');
	await new Promise((resolve) => setTimeout(resolve, 1500));
	fs.mkdirSync(folder);
	fs.writeFileSync(file, log.subarray(0, half));
	const before = await compilationsOf(file);
	const { url, server } = await served;
	const { page, complaints } = await tools.open(`${url}#/compilations?tier=top`);
	const note = page.locator('.table-pane .note');
	await expect.poll(() => note.textContent()).toContain(` of ${before.toLocaleString('en-US')} ·`);
	await page.getByRole('status').filter({ hasText: 'following' }).waitFor();
	fs.appendFileSync(file, log.subarray(half));
	const after = await compilationsOf(file);
	expect(after).toBeGreaterThan(before);
	await expect.poll(() => note.textContent(), { timeout: 20_000 }).toContain(` of ${after.toLocaleString('en-US')} ·`);
	expect(page.url()).toContain('#/compilations?tier=top');
	// Details are those of what is there now.
	await page.locator('#compilations').focus();
	await page.keyboard.press('End');
	await page.keyboard.press('Enter');
	await page.locator('.facts').waitFor();
	expect(complaints).toEqual([]);
	server.removeAllListeners('exit');
	server.kill('SIGINT');
	await page.getByRole('status').filter({ hasText: 'following' }).waitFor({ state: 'detached' });
	await page.close();
});

test('a file dropped on the page of assay open is shown; what cannot be read is told, and the page stays', async () => {
	const { url } = await serve('examples/order');
	const { page, complaints } = await tools.open(url);
	const log = 'fixtures/jvm/safepoint/strip-jdk17-serial/hotspot.log.gz';
	await drop(page, 'nothing.bin', Buffer.from('no recording\n'.repeat(20)));
	await page.getByRole('status').filter({ hasText: 'nothing.bin' }).waitFor();
	await expect.poll(() => page.getByRole('status').textContent()).not.toContain('Reading');
	expect(await page.locator('h1').textContent()).toContain('order: start-up');
	complaints.length = 0;
	await drop(page, 'dropped.log.gz', fs.readFileSync(path.join(root, log)));
	await page.locator('.recording', { hasText: 'dropped.log.gz' }).waitFor();
	const all = await compilationsOf(log);
	await page.goto(`${url}#/compilations`);
	await settled(page);
	await expect.poll(() => page.locator('.table-pane .note').textContent()).toContain(`${all.toLocaleString('en-US')} ·`);
	const jfr = fs.readFileSync(path.join(root, 'fixtures/jvm/safepoint/strip-jdk17-serial/rec.jfr.gz'));
	await drop(page, 'rec.jfr', gunzipSync(jfr));
	await page.locator('.recording', { hasText: 'rec.jfr' }).waitFor();
	await page.goto(`${url}#/samples`);
	await page.waitForSelector('#flame');
	expect(complaints).toEqual([]);
	// Only the page itself may drop, with its secret.
	const { port, pathname } = new URL(url);
	const post = (target: string, headers: Record<string, string>): Promise<number> =>
		new Promise((resolve, reject) => {
			const request = http.request({ host: '127.0.0.1', port, path: target, method: 'POST', headers }, (response) => {
				response.resume();
				resolve(response.statusCode ?? 0);
			});
			request.on('error', reject);
			request.end('x');
		});
	const origin = `http://127.0.0.1:${port}`;
	expect(await post(`${pathname}drop/x`, {})).toBe(405);
	expect(await post(`${pathname}drop/x`, { origin: 'http://evil.example' })).toBe(403);
	expect(await post(`${pathname}drop/x`, { origin, 'sec-fetch-site': 'cross-site' })).toBe(403);
	expect(await post(`/${'x'.repeat(pathname.length - 2)}/drop/x`, { origin })).toBe(404);
	expect(await post(`${pathname}drop/x/y`, { origin })).toBe(405);
	await page.close();
});

test('a page in a file says what to do with what is dropped', async () => {
	const { page, complaints } = await tools.open(await tools.write(['report', 'examples/order'], 'static'));
	await drop(page, '<img src=x>.jfr', Buffer.from('x'));
	expect(await page.getByRole('status').textContent()).toContain('assay open <img src=x>.jfr');
	await page.getByRole('button', { name: 'close' }).click();
	expect(await page.getByRole('status').count()).toBe(0);
	expect(complaints).toEqual([]);
	await page.close();
});

test('assay record --open: the page is there while the program runs, has its samples when it ended, and ends with Ctrl-C', async () => {
	const jdk = findJdk(25);
	compileProgram(jdk, 'HotLoop', tools.folder);
	const recording = path.join(tools.folder, 'recorded');
	const argv = ['record', '--open', '-o', recording, '--jdk', jdk.home, '--', 'java', '-cp', tools.folder, 'HotLoop', '7000', '3'];
	const recorder = spawn(process.execPath, [path.join(root, 'bin', 'assay.js'), ...argv], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
	servers.push(recorder);
	let said = '';
	recorder.stderr?.setEncoding('utf8').on('data', (text: string) => {
		said += text;
	});
	const ended = new Promise<number | null>((resolve) => recorder.once('exit', resolve));
	await expect.poll(() => said, { timeout: 20_000 }).toMatch(/^http:\S+\n/m);
	const [, url = ''] = /^(http:\S+)\n/m.exec(said) ?? [];
	expect(said).not.toContain('until Ctrl-C\nassay record');
	const { page } = await tools.open(`${url}#/compilations`);
	await page.locator('#compilations .row').first().waitFor();
	await expect.poll(() => said, { timeout: 40_000 }).toContain('samples of');
	await expect.poll(() => page.locator('h1').textContent(), { timeout: 20_000 }).toMatch(/has the most samples/);
	recorder.kill('SIGINT');
	expect(await ended).toBe(3);
	await expect
		.poll(() =>
			fetch(url).then(
				() => 'there',
				() => 'gone',
			),
		)
		.toBe('gone');
	await page.close();
});

test('a store: its runs, the answer of a question about the chosen ones, and from a run to its own page', async () => {
	const store = path.join(tools.folder, 'store');
	for (const [recording, build] of [
		['fixtures/jvm/ledger/jdk25', '1.4'],
		['fixtures/jvm/ledger/jdk17', '1.3'],
	] as const) {
		const { exit } = await runAssay(
			['collect', recording, '--into', store, '--label', 'service=shop', '--label', `build=${build}`, '--label', 'host=<b>&'],
			root,
		);
		expect(exit).toBe(0);
	}
	const { url } = await serve(store);
	const { page, complaints } = await tools.open(url);
	expect(await page.locator('h1').textContent()).toContain('2 runs on 2026-');
	expect(await page.locator('.curve circle').count()).toBe(2);
	await page.locator('select').nth(1).selectOption('1.4');
	await page.locator('.questions a', { hasText: 'refused' }).click();
	await page.locator('section[aria-label="answer of refused"]').waitFor();
	const { stdout } = await runAssay(['query', store, 'refused', '--where', 'build=1.4', '--json'], root);
	const { rows, columns } = JSON.parse(stdout).result;
	const cells = await page
		.locator('.answer tbody tr')
		.evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')));
	const isNumber: boolean[] = columns.map(({ type }: { type: string }) => type === 'integer' || type === 'number');
	const numbers = (all: readonly (readonly unknown[])[]) => all.map((row) => row.filter((_, i) => isNumber[i]).map((cell) => String(cell).replaceAll(',', '')));
	expect(rows.length).toBeGreaterThan(3);
	expect(numbers(cells)).toEqual(numbers(rows));
	await page.evaluate(fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
	const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
	expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))])).toEqual([]);
	await page.goBack();
	await page.locator('button', { hasText: 'fixtures/jvm/ledger/jdk25' }).click();
	await page.waitForURL((where) => where.port !== new URL(url).port);
	await page.waitForSelector('html[data-ready=true]');
	expect(await page.locator('.recording').textContent()).toContain('jdk25');
	expect(complaints).toEqual([]);
	await page.close();
});
