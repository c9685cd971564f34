/** Reads the parts of the page: from the document itself, or from the server that gave it. */
import { PAGE_VERSION, type PageDetail, type PageDetails, type PageMain } from '../src/report/page-data.js';

export interface Loaded {
	readonly main: PageMain;
	part<T>(name: string): Promise<T>;
	/** null: the recording has no details of it, or they are not in this file. */
	detail(side: number, handle: string): Promise<PageDetail | null>;
}

/** Parts that were read last are kept: one is some 256 KB of JSON. */
const KEPT_PARTS = 12;

export async function load(): Promise<Loaded> {
	const read = async <T>(name: string): Promise<T> => (await readPart(name)) as T;
	const main = await read<PageMain>('main');
	if (main.version !== PAGE_VERSION) {
		throw new Error(`this page reads data of version ${PAGE_VERSION}, not ${main.version}`);
	}
	const kept = new Map<string, Promise<unknown>>();
	const part = <T>(name: string): Promise<T> => {
		const found = kept.get(name) ?? read<unknown>(name);
		kept.delete(name);
		kept.set(name, found);
		if (kept.size > KEPT_PARTS) {
			kept.delete(kept.keys().next().value as string);
		}
		return found as Promise<T>;
	};
	return {
		main,
		part,
		async detail(side, handle) {
			const name = Object.hasOwn(main.sides[side]?.details ?? {}, handle) ? main.sides[side]?.details[handle] : undefined;
			if (name !== undefined) {
				const details = await part<PageDetails>(name);
				return details[handle] ?? null;
			}
			return main.isServed ? part<PageDetail | null>(`detail/${side}/${handle}`) : null;
		},
	};
}

async function readPart(name: string): Promise<unknown> {
	const element = [...document.querySelectorAll<HTMLScriptElement>('script[data-part]')].find((one) => one.dataset.part === name);
	if (element === undefined) {
		const response = await fetch(`data/${name.split('/').map(encodeURIComponent).join('/')}`, { headers: { accept: 'application/json' } });
		if (!response.ok) {
			throw new Error(response.status === 404 ? `the recording has no part ${name}` : `the server answered ${response.status}; does assay open still run?`);
		}
		return response.json();
	}
	const bytes = bytesOf(JSON.parse(element.textContent ?? '""') as string);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Response(stream).json();
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) {
		bytes[i] = text.charCodeAt(i);
	}
	return bytes;
}
