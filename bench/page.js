/**
 * How fast a browser shows a large page, and in how much memory: 5,000 compilations with details and 100,000 samples, some 5 MB compressed.
 * The page of fixtures/joined/jdk25-c2 is multiplied: its compilations come again under other ids.
 *
 *   npm run bench:page [-- COMPILATIONS SAMPLES]
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const [COMPILATIONS = 5000, SAMPLES = 100_000] = process.argv.slice(2).map(Number);
const ROWS = 100_000;
const root = path.resolve(import.meta.dirname, '..');

/** In the page: scrolls through the table for a second. */
const SCROLL = `new Promise((resolve) => {
	const table = document.getElementById('compilations');
	const start = performance.now();
	let last = start, longest = 0, count = 0;
	const step = (now) => {
		longest = Math.max(longest, count > 0 ? now - last : 0);
		last = now;
		count++;
		table.scrollTop += 400;
		now - start < 1000 ? requestAnimationFrame(step) : resolve({ count, longest });
	};
	requestAnimationFrame(step);
})`;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-page-'));

try {
	const small = path.join(folder, 'small.html');
	report('fixtures/joined/jdk25-c2', small);
	const large = path.join(folder, 'large.html');
	fs.writeFileSync(large, multiplied(fs.readFileSync(small, 'utf8')));
	console.log(`page: ${(fs.statSync(large).size / 1e6).toFixed(1)} MB, ${COMPILATIONS} compilations, ${SAMPLES} samples`);
	const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find((place) => place && fs.existsSync(place));
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
	const times = [];
	for (let i = 0; i < 5; i++) {
		const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
		const start = performance.now();
		await page.goto(`file://${large}`);
		await page.waitForSelector('html[data-ready=true] #compilations-0');
		times.push(performance.now() - start);
		if (i === 4) {
			await page.waitForTimeout(500);
			const { usedJSHeapSize } = await page.evaluate('({ usedJSHeapSize: performance.memory.usedJSHeapSize })');
			console.log(`JavaScript heap ${(usedJSHeapSize / 1e6).toFixed(0)} MB, renderer process ${await rendererMegabytes(browser)} MB`);
			const frames = await page.evaluate(SCROLL);
			console.log(`scrolling the table: ${frames.count} frames, the longest ${frames.longest.toFixed(0)} ms`);
			const opened = performance.now();
			await page.evaluate("location.hash = '#/compilation/c355'");
			await page.waitForSelector('#code .instruction');
			console.log(`opening a compilation: ${(performance.now() - opened).toFixed(0)} ms`);
			console.log(`then: renderer process ${await rendererMegabytes(browser)} MB`);
		}
		await page.close();
	}
	times.sort((a, b) => a - b);
	console.log(`shown after ${times[2].toFixed(0)} ms (median of ${times.length}; ${times[0].toFixed(0)} to ${times.at(-1).toFixed(0)})`);
	await showRows(browser);
	await browser.close();
} finally {
	fs.rmSync(folder, { recursive: true, force: true });
}

function report(recording, output) {
	const { status } = spawnSync(process.execPath, ['bin/assay.js', 'report', '--no-index', recording, '-o', output], {
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	if (status !== 0) {
		throw new Error('the page could not be written: npm run build');
	}
}

/** A table of many compilations: shown, scrolled, sorted. */
async function showRows(browser) {
	const log = path.join(folder, 'printed.txt');
	const line = (i) =>
		`${String(i >> 1).padStart(7)} ${String(i).padStart(4)}       ${i % 5 === 0 ? 4 : 3}       com.example.p${i % 97}.C${i % 1000}::method${i} (${i % 300} bytes)\n`;
	fs.writeFileSync(log, Array.from({ length: ROWS }, (_, i) => line(i + 1)).join(''));
	const file = path.join(folder, 'rows.html');
	report(log, file);
	const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
	const start = performance.now();
	await page.goto(`file://${file}#/compilations`);
	await page.waitForSelector('html[data-ready=true] #compilations-0');
	const shown = performance.now() - start;
	const frames = await page.evaluate(SCROLL);
	const sorted = performance.now();
	await page.locator('[role=columnheader]').nth(2).click();
	await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
	console.log(
		`${ROWS} rows: shown after ${shown.toFixed(0)} ms; scrolling: ${frames.count} frames in a second, the longest ${frames.longest.toFixed(0)} ms; sorted in ${(performance.now() - sorted).toFixed(0)} ms`,
	);
	await page.close();
}

/** Memory of the pages' process that no other has (Linux); a dash elsewhere. */
async function rendererMegabytes(browser) {
	const session = await browser.newBrowserCDPSession();
	const { processInfo } = await session.send('SystemInfo.getProcessInfo');
	await session.detach();
	const sizes = processInfo
		.filter(({ type }) => type === 'renderer')
		.map(({ id }) => {
			const file = `/proc/${id}/smaps_rollup`;
			const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
			return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? Number.NaN) / 1024;
		});
	const most = Math.max(...sizes);
	return Number.isNaN(most) ? '–' : most.toFixed(0);
}

function multiplied(html) {
	const parts = new Map();
	const rest = html.replace(/<script type="application\/json" data-part="([^"]+)">"([^"]*)"<\/script>\n/g, (_, name, base64) => {
		parts.set(name, JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString()));
		return '';
	});
	const main = parts.get('main');
	const side = main.sides[0];
	const times = Math.ceil(COMPILATIONS / side.report.compilations.length);
	const suffixed = (handle, copy) => (copy === 0 ? handle : `${handle.replace('%', '')}${String(copy).padStart(3, '0')}${handle.endsWith('%') ? '%' : ''}`);
	const again = (rows) =>
		Array.from({ length: times }, (_, copy) =>
			rows.map((row) => ({ ...row, handle: suffixed(row.handle, copy), compileId: suffixed(`c${row.compileId}`, copy).slice(1) })),
		).flat();
	side.report.compilations = again(side.report.compilations).slice(0, COMPILATIONS);
	side.compilations.compilations = again(side.compilations.compilations).slice(0, COMPILATIONS);
	side.memory.compilations = again(side.memory.compilations);
	const details = {};
	for (const [name, part] of [...parts].filter(([one]) => /^d\d+$/.test(one))) {
		for (let copy = 0; copy < times; copy++) {
			const group = {};
			for (const [handle, detail] of Object.entries(part)) {
				const key = suffixed(handle, copy);
				details[key] = `${name}-${copy}`;
				// Code only of some, as in a file whose instructions are bounded.
				group[key] =
					copy < 5
						? detail
						: { ...detail, code: undefined, memory: detail.memory && { ...detail.memory, timeline: detail.memory.timeline.slice(0, copy * 7) } };
			}
			parts.set(`${name}-${copy}`, group);
		}
		parts.delete(name);
	}
	side.details = details;
	const columns = side.hot.sampleColumns;
	const length = columns.deltaUs.length;
	for (const key of ['deltaUs', 'place', 'instruction', 'thread']) {
		const column = columns[key];
		columns[key] = Array.from({ length: SAMPLES }, (_, i) => (key === 'deltaUs' ? Math.round((column[i % length] * length) / SAMPLES) : column[i % length]));
	}
	const scripts = [...parts].map(
		([name, value]) => `<script type="application/json" data-part="${name}">"${gzipSync(JSON.stringify(value), { level: 9 }).toString('base64')}"</script>\n`,
	);
	return rest.replace('<div id="page"></div>\n', (found) => found + scripts.join(''));
}
