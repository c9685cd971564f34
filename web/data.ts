/** Reads the parts of the page: from the document itself, or from the server that gave it. */
import { gunzipSync } from 'fflate';
import { PAGE_VERSION, type PageDetail, type PageDetails, type PageMain } from '../src/page/data.js';

/** What is in the document is there at once: a page that is printed or photographed when it is loaded shows it. */
export type Read<T> = T | Promise<T>;

export interface Loaded {
	readonly main: PageMain;
	/** The same promise again while it is kept. */
	part<T>(name: string): Read<T>;
	/** null: the recording has no details of it, or they are not in this file. */
	detail(side: number, handle: string): Read<PageDetail | null>;
}

/** Parts that were read last are kept: one is some 256 KB of JSON. */
const KEPT_PARTS = 12;
/** Larger parts are unpacked beside the page's own work. */
const AT_ONCE_BYTES = 8 << 20;

/** A promise where the server has to be asked. `isAgain`: what it has by now. */
export function load(isAgain = false): Read<Loaded> {
	const main = (isAgain ? fetchPart('main') : readPart('main')) as Read<PageMain>;
	return main instanceof Promise ? main.then((read) => loadedOf(read, readPart)) : loadedOf(main, readPart);
}

export function loadedOf(main: PageMain, read: (name: string) => unknown): Loaded {
	if (main.version !== PAGE_VERSION) {
		throw new Error(`this page reads data of version ${PAGE_VERSION}, not ${main.version}`);
	}
	const kept = new Map<string, unknown>();
	const part = <T>(name: string): Read<T> => {
		const found = kept.get(name) ?? read(name);
		kept.delete(name);
		kept.set(name, found);
		if (kept.size > KEPT_PARTS) {
			const [oldest = ''] = kept.keys();
			kept.delete(oldest);
		}
		return found as Read<T>;
	};
	return {
		main,
		part,
		detail(side, handle) {
			const name = Object.hasOwn(main.sides[side]?.details ?? {}, handle) ? main.sides[side]?.details[handle] : undefined;
			if (name !== undefined) {
				const details = part<PageDetails>(name);
				return details instanceof Promise ? details.then((all) => all[handle] ?? null) : (details[handle] ?? null);
			}
			return main.isServed ? part<PageDetail | null>(`detail/${side}/${handle}`) : null;
		},
	};
}

function readPart(name: string): unknown {
	const element = [...document.querySelectorAll<HTMLScriptElement>('script[data-part]')].find((one) => one.dataset.part === name);
	if (element === undefined) {
		return fetchPart(name);
	}
	try {
		const bytes = bytesOf(JSON.parse(element.textContent ?? '""') as string);
		if (bytes.length <= AT_ONCE_BYTES) {
			return JSON.parse(new TextDecoder().decode(gunzipSync(bytes)));
		}
		return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
	} catch (error) {
		return Promise.reject(error);
	}
}

async function fetchPart(name: string): Promise<unknown> {
	const response = await fetch(`data/${name.split('/').map(encodeURIComponent).join('/')}`, { headers: { accept: 'application/json' } });
	if (!response.ok) {
		throw new Error(response.status === 404 ? `the recording has no part ${name}` : `the server answered ${response.status}; does assay open still run?`);
	}
	return response.json();
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) {
		bytes[i] = text.charCodeAt(i);
	}
	return bytes;
}
