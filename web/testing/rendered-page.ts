/** The page of recordings in Node: written by the command line, read from its file, and drawn into a document without a browser; all data is there at once. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseHTML } from 'linkedom';
import { h, options, render } from 'preact';
import type { CommandIo } from '../../src/cli/io.js';
import type { PageMain } from '../../src/page/data.js';
import { runAssay } from '../../test/run-assay.js';
import { App } from '../app.js';
import { type Loaded, loadedOf } from '../data.js';

export const root = path.resolve(import.meta.dirname, '../..');

/** What the page asks a browser for besides its document; rows of lists are drawn as far as this window is high. */
const WINDOW = { innerWidth: 2400, innerHeight: 6000 };

export interface RenderedPage {
	readonly main: PageMain;
	readonly loaded: Loaded;
	/** The page at an address, `#/memory?t=1-2`, in place of what it showed. */
	show(hash: string): Element;
	close(): void;
}

/** The page that arguments of a command write: `report`, RECORDING; or `diff`, A, B. null: the command has nothing that makes a page. */
export async function renderedPage(argv: readonly string[], io: Partial<CommandIo> = {}): Promise<RenderedPage | null> {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-rendered-'));
	try {
		const file = path.join(folder, 'page.html');
		const { exit } = await runAssay([...argv, '-o', file], root, io);
		return exit === 3 ? null : shownIn(fs.readFileSync(file, 'utf8'));
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
}

function shownIn(html: string): RenderedPage {
	const parts = new Map([...html.matchAll(/data-part="([^"]+)">"([^"]*)"/g)].map(([, name = '', base64 = '']) => [name, base64]));
	const read = (name: string): unknown => {
		const base64 = parts.get(name);
		return base64 === undefined ? Promise.reject(new Error(`no part ${name}`)) : JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString());
	};
	const main = read('main') as PageMain;
	const loaded = loadedOf(main, read);
	const { document } = parseHTML('<html><body><div id="page"></div></body></html>');
	const box = document.getElementById('page')!;
	const globals = globalsOf(document);
	return {
		main,
		loaded,
		show(hash) {
			return withGlobals({ ...globals, location: { hash } }, () => {
				render(null, box);
				render(h(App, { loaded, problem: null, reload: async () => {} }), box);
				return box;
			});
		},
		close() {
			withGlobals(globals, () => render(null, box));
		},
	};
}

function globalsOf(document: Document): Readonly<Record<string, unknown>> {
	const view = document.defaultView as unknown as { readonly Element: { readonly prototype: object } };
	Object.defineProperty(view.Element.prototype, 'clientHeight', { configurable: true, value: WINDOW.innerHeight });
	Object.defineProperty(view.Element.prototype, 'clientWidth', { configurable: true, value: WINDOW.innerWidth });
	return {
		...WINDOW,
		document,
		addEventListener: () => {},
		removeEventListener: () => {},
		ResizeObserver: class {
			observe(): void {}
			disconnect(): void {}
		},
	};
}

/** Puts a browser's names in place for as long as something is drawn, at once and without effects that come later. */
function withGlobals<T>(globals: Readonly<Record<string, unknown>>, draw: () => T): T {
	const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
	const { debounceRendering, requestAnimationFrame } = options;
	const effects: (() => void)[] = [];
	for (const [name, value] of Object.entries(globals)) {
		Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
	}
	options.debounceRendering = (draw) => draw();
	options.requestAnimationFrame = (run) => effects.push(run);
	try {
		const result = draw();
		for (let run = effects.shift(); run !== undefined; run = effects.shift()) {
			run();
		}
		return result;
	} finally {
		Object.assign(options, { debounceRendering, requestAnimationFrame });
		for (const [name, descriptor] of before) {
			descriptor === undefined ? Reflect.deleteProperty(globalThis, name) : Object.defineProperty(globalThis, name, descriptor);
		}
	}
}
