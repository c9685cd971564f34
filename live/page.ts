/** What the live tests of the page share: pages written to a folder of their own, opened, and looked at. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { openBrowser } from './browser.js';

export const root = path.resolve(import.meta.dirname, '..');

interface Opened {
	readonly page: Page;
	/** What the browser complained about. */
	readonly complaints: string[];
	readonly requests: string[];
}

interface Look {
	readonly width?: number;
	readonly height?: number;
	readonly scheme?: 'light' | 'dark';
	readonly forcedColors?: 'active' | 'none';
	/** Device pixels a CSS pixel. */
	readonly scale?: number;
}

export interface PageTools {
	readonly browser: Browser;
	readonly folder: string;
	/** The address of a page that the arguments write. */
	write(argv: readonly string[], name: string, workingDirectory?: string): Promise<string>;
	open(url: string, look?: Look): Promise<Opened>;
	close(): Promise<void>;
}

export async function pageTools(): Promise<PageTools> {
	const browser = await openBrowser();
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-page-'));
	build();
	return {
		browser,
		folder,
		async write(argv, name, workingDirectory = root) {
			const file = path.join(folder, `${name}.html`);
			const { exit, stderr } = await runAssay([...argv, '-o', file], workingDirectory);
			expect({ exit, stderr }).toMatchObject({ exit: 0 });
			return `file://${file}`;
		},
		async open(url, { width = 1280, height = 800, scheme = 'light', forcedColors = 'none', scale = 1 } = {}) {
			const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme, forcedColors, deviceScaleFactor: scale });
			const complaints: string[] = [];
			const requests: string[] = [];
			page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
			page.on('pageerror', (error) => complaints.push(String(error)));
			page.on('request', (request) => requests.push(request.url()));
			await page.goto(url);
			await page.waitForSelector('html[data-ready=true]');
			await settled(page);
			return { page, complaints, requests };
		},
		async close() {
			await browser.close();
			fs.rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Where a source is newer than what was built. */
function build(): void {
	const newest = (folder: string): number =>
		fs
			.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
			.reduce((latest, entry) => (entry.isFile() ? Math.max(latest, fs.statSync(path.join(entry.parentPath, entry.name)).mtimeMs) : latest), 0);
	const built = fs.statSync(path.join(root, 'dist', 'web', 'page.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
	if (built < Math.max(...['src', 'web', 'scripts'].map(newest))) {
		execFileSync(process.execPath, ['scripts/build.js'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
	}
}

/** Parts that a view reads have come. */
export async function settled(page: Page): Promise<void> {
	// A function that waits would be evaluated in the page again and again, which its policy forbids.
	await page
		.locator('.empty', { hasText: /^Reading/ })
		.first()
		.waitFor({ state: 'detached' });
	await page.waitForTimeout(120);
}
