/**
 * Serves one page on this machine, to whoever knows its address: a random token is part of it. Requests under another host name (a name that
 * was made to point here) or from another page are refused; there are no files behind the paths, only what was gathered.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { formatProblem, InputError } from '../model/problem.js';
import { visible } from '../render/visible.js';
import { contentPolicy, type PageShell, pageHtml } from './html.js';

export interface ServedPage {
	readonly shell: PageShell;
	readonly title: string;
	/** Compressed with gzip, by name. */
	readonly parts: ReadonlyMap<string, Buffer>;
	/** Asked for by a page that follows its recording. */
	readonly state: PageState;
	/** Details that are read when somebody asks; null: there are none. */
	detail(side: number, handle: string): Promise<unknown>;
}

export interface PageState {
	readonly revision: number;
	/** Why the recording could not be read the last time it changed. */
	readonly problem: string | null;
}

/** Takes a file that was dropped on the page; with the last of several it becomes the page of these. Throws an {@link InputError} that says why it cannot. */
export type TakeDropped = (name: string, body: AsyncIterable<Buffer>, isLast: boolean) => Promise<void>;

export interface PageServer {
	/** With the token. */
	readonly url: string;
	/** Also ends connections that are kept open. */
	close(): Promise<void>;
}

const ADDRESS = '127.0.0.1';

/** `port` 0: any that is free. Rejects when the port cannot be had. */
export async function servePage(page: ServedPage, port: number, takeDropped: TakeDropped): Promise<PageServer> {
	const token = randomBytes(24).toString('base64url');
	const server = http.createServer((request, response) => {
		answer(page, takeDropped, token, hostsOf(server), request, response).catch((error: unknown) => {
			if (!response.headersSent) {
				send(response, 500, 'text/plain; charset=utf-8', Buffer.from(error instanceof Error ? error.message : 'failed'));
			}
			response.end();
		});
	});
	server.requestTimeout = 30_000;
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, ADDRESS, resolve);
	});
	return {
		url: `http://${ADDRESS}:${(server.address() as AddressInfo).port}/${token}/`,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

function hostsOf(server: http.Server): readonly string[] {
	const { port } = server.address() as AddressInfo;
	return [`${ADDRESS}:${port}`, `localhost:${port}`];
}

async function answer(
	page: ServedPage,
	takeDropped: TakeDropped,
	token: string,
	hosts: readonly string[],
	request: http.IncomingMessage,
	response: http.ServerResponse,
): Promise<void> {
	const { host, origin } = request.headers;
	const isOwnOrigin = origin === undefined || hosts.some((one) => origin === `http://${one}`);
	// Browsers say where a request comes from; only the address bar and the page itself are meant.
	const site = request.headers['sec-fetch-site'];
	// The page that leads here is a file: a browser calls it another site.
	const isShell = /^\/[^/]*\/$/.test(request.url ?? '');
	const isLed = isShell && request.headers['sec-fetch-mode'] === 'navigate' && request.headers['sec-fetch-dest'] === 'document';
	const isAsked = site === undefined || site === 'same-origin' || site === 'none' || isLed;
	if (host === undefined || !hosts.includes(host) || !isOwnOrigin || !isAsked) {
		send(response, 403, 'text/plain; charset=utf-8', Buffer.from('refused: not asked by this page\n'));
		return;
	}
	const [place = '/', query = ''] = (request.url ?? '/').split('?');
	const [, given = '', ...path] = place.split('/');
	// Browsers always say where a POST comes from.
	const isDrop = request.method === 'POST' && path.length === 2 && path[0] === 'drop' && origin !== undefined;
	if (request.method !== 'GET' && request.method !== 'HEAD' && !isDrop) {
		send(response, 405, 'text/plain; charset=utf-8', Buffer.from('only GET is answered\n'), { allow: 'GET, HEAD' });
		return;
	}
	if (!isSame(given, token)) {
		send(response, 404, 'text/plain; charset=utf-8', Buffer.from('not here: the address has a token, which assay open prints\n'));
		return;
	}
	const [kind, ...rest] = path.map(decode);
	if (isDrop) {
		await drop(takeDropped, rest[0] ?? '', query !== 'more', request, response);
		return;
	}
	if (path.length === 1 && kind === '') {
		send(response, 200, 'text/html; charset=utf-8', Buffer.from([...pageHtml(page.shell, page.title, [], true)].join('')), {
			'content-security-policy': `${contentPolicy(page.shell, true)}; frame-ancestors 'none'`,
		});
		return;
	}
	const part = kind !== 'data' ? null : rest.length === 1 && rest[0] === 'state' ? gzipSync(JSON.stringify(page.state)) : await partOf(page, rest);
	if (part === null) {
		send(response, 404, 'text/plain; charset=utf-8', Buffer.from('no such part\n'));
		return;
	}
	const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
	send(response, 200, 'application/json; charset=utf-8', takesGzip ? part : gunzipSync(part), takesGzip ? { 'content-encoding': 'gzip' } : {});
}

async function drop(takeDropped: TakeDropped, name: string, isLast: boolean, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
	try {
		await takeDropped(name, request, isLast);
		send(response, 200, 'application/json; charset=utf-8', Buffer.from('{}'));
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		send(response, 422, 'text/plain; charset=utf-8', Buffer.from(visible(formatProblem(error.problem))), { connection: 'close' });
	}
}

/** Compressed; null: there is none of that name. */
async function partOf(page: ServedPage, names: readonly string[]): Promise<Buffer | null> {
	const [kind, side = '', handle = ''] = names;
	if (names.length === 3 && kind === 'detail' && /^\d$/.test(side)) {
		return gzipSync(JSON.stringify((await page.detail(Number(side), handle)) ?? null));
	}
	return page.parts.get(names.join('/')) ?? null;
}

function send(response: http.ServerResponse, status: number, type: string, body: Buffer, more: http.OutgoingHttpHeaders = {}): void {
	response.writeHead(status, {
		'content-type': type,
		'content-length': body.length,
		'cache-control': 'no-store',
		'x-content-type-options': 'nosniff',
		'x-frame-options': 'DENY',
		'referrer-policy': 'no-referrer',
		'cross-origin-resource-policy': 'same-origin',
		'cross-origin-opener-policy': 'same-origin',
		...more,
	});
	response.end(response.req.method === 'HEAD' ? undefined : body);
}

function isSame(a: string, b: string): boolean {
	const [x, y] = [Buffer.from(a), Buffer.from(b)];
	return x.length === y.length && timingSafeEqual(x, y);
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return '\0';
	}
}
