/**
 * Trino (trino.io) by its client protocol: a statement is posted to /v1/statement, and its rows are fetched from the addresses that the answers name (trino.io/docs,
 * "Trino client REST API"). Credentials come from the environment or a prompt; they go to the server that was named, over TLS, and nowhere else: addresses of another
 * server are refused, redirections too.
 */
import { ExactJsonReader, type JsonValue } from '../../bytes/exact-json.js';
import { InputError, UsageError } from '../../model/problem.js';
import type { Cell, ColumnType } from '../../model/table.js';
import { type Engine, type EngineColumn, type EngineResult, type RunOptions, wholeNumber } from './result.js';

/** Where a Trino is, and who asks. */
export interface TrinoOptions {
	/** `https://trino.example.org:8443` */
	readonly server: string;
	readonly catalog: string;
	readonly schema: string;
	readonly user: string;
	/** null: the server asks for none. */
	readonly password: string | null;
	readonly accessToken: string | null;
	/** Asked once, where the server wants a password and none is there; null: there is none. */
	readonly askPassword?: (() => Promise<string | null>) | undefined;
}

/** Of one request; the statement may take longer. */
const REQUEST_MS = 120_000;
const BUSY_MS = 100;
const MOST_BUSY = 100;
/** A coordinator that just started, or whose workers just left, refuses what it will soon take. */
const NO_WORKERS = 'NO_NODES_AVAILABLE';
const WORKERS_MS = 1000;
const MOST_WITHOUT_WORKERS = 30;
/** By `errorType` of the protocol. */
const ACTIONS: Readonly<Record<string, string>> = {
	USER_ERROR: 'mend the question; --ddl trino prints the tables that Trino needs',
	INSUFFICIENT_RESOURCES: 'ask again later, or about less: --where, --since and --until',
};
const NAME = /^[A-Za-z0-9_-]{1,128}$/;

/** Throws a {@link UsageError} for what is no server, or credentials that would go in the clear. */
export function openTrino({ server, catalog, schema, user, password, accessToken, askPassword }: TrinoOptions): Engine {
	const base = serverOf(server);
	for (const [option, value] of Object.entries({ '--catalog': catalog, '--schema': schema })) {
		if (!NAME.test(value)) {
			throw new UsageError(`${option} takes a name of letters, digits, _ and -, not "${value}"`);
		}
	}
	const secret = accessToken !== null ? `Bearer ${accessToken}` : password !== null ? basic(user, password) : null;
	if (secret !== null && base.protocol !== 'https:') {
		throw new UsageError('a password goes over https only: name the server with https://');
	}
	const headers: Record<string, string> = {
		'X-Trino-User': user,
		'X-Trino-Source': 'assay',
		'X-Trino-Catalog': catalog,
		'X-Trino-Schema': schema,
		...(secret === null ? {} : { Authorization: secret }),
	};
	let isAsked = secret !== null || base.protocol !== 'https:' || askPassword === undefined;
	const authorize = async (): Promise<boolean> => {
		if (isAsked) {
			return false;
		}
		isAsked = true;
		const given = (await askPassword?.()) ?? null;
		if (given !== null) {
			headers.Authorization = basic(user, given);
		}
		return given !== null;
	};
	return { name: 'trino', run: (sql, options = {}) => new Statement(base, headers, authorize, options).run(sql), close() {} };
}

function basic(user: string, password: string): string {
	return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function serverOf(server: string): URL {
	const url = URL.canParse(server) ? new URL(server) : null;
	if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
		throw new UsageError(`--server takes an address such as https://trino.example.org, without user and password`);
	}
	return url;
}

class Statement {
	private readonly base: URL;
	private readonly headers: Readonly<Record<string, string>>;
	/** Whether there are other credentials now than those that were refused. */
	private readonly authorize: () => Promise<boolean>;
	private readonly options: RunOptions;

	constructor(base: URL, headers: Readonly<Record<string, string>>, authorize: () => Promise<boolean>, options: RunOptions) {
		this.base = base;
		this.headers = headers;
		this.authorize = authorize;
		this.options = options;
	}

	async run(sql: string): Promise<EngineResult> {
		for (let refused = 0; ; refused++) {
			const result = await this.once(sql, refused === MOST_WITHOUT_WORKERS);
			if (result !== null) {
				return result;
			}
			await pause(WORKERS_MS);
			this.options.signal?.throwIfAborted();
		}
	}

	/** null: no worker has begun with it, and it can be asked again. */
	private async once(sql: string, isLast: boolean): Promise<EngineResult | null> {
		const columns: EngineColumn[] = [];
		const rows: Cell[][] = [];
		let next: URL | null = null as URL | null;
		try {
			for (let answer = await this.ask('POST', new URL('/v1/statement', this.base), sql); ; answer = await this.ask('GET', next)) {
				next = null;
				const error = answer.get('error');
				if (error instanceof Map) {
					if (error.get('errorName') === NO_WORKERS && rows.length === 0 && !isLast) {
						return null;
					}
					const action = ACTIONS[String(error.get('errorType'))] ?? `see the server's log, query ${String(answer.get('id'))}`;
					throw failed(String(error.get('message') ?? 'the statement failed'), action);
				}
				if (columns.length === 0) {
					columns.push(...columnsOf(answer.get('columns')));
				}
				for (const row of listOf(answer.get('data'))) {
					rows.push(listOf(row).map(cellOf));
				}
				this.tellProgress(answer.get('stats'));
				const uri = answer.get('nextUri');
				if (typeof uri !== 'string') {
					return { columns, rows };
				}
				next = this.checked(uri);
			}
		} catch (error) {
			if (next !== null) {
				await this.cancel(next);
			}
			throw error;
		}
	}

	private checked(uri: string): URL {
		const url = URL.canParse(uri) ? new URL(uri) : null;
		if (url === null || url.host !== this.base.host || url.protocol !== this.base.protocol) {
			throw failed(
				'the server sends to another address than the one that was named',
				'name the server as it calls itself; http-server.process-forwarded behind a proxy',
			);
		}
		return url;
	}

	private async ask(method: 'GET' | 'POST', url: URL | null, body?: string): Promise<Map<string, JsonValue>> {
		for (let busy = 0; ; busy++) {
			const { signal } = this.options;
			const limit = AbortSignal.timeout(REQUEST_MS);
			let response: Response;
			try {
				const request = { method, headers: this.headers, redirect: 'error' as const, signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) };
				response = await fetch((url ?? this.base).href, body === undefined ? request : { ...request, body });
			} catch (error) {
				signal?.throwIfAborted();
				const cause = (error as { cause?: { code?: string } }).cause?.code;
				throw failed(`does not answer${cause === undefined ? '' : ` (${cause})`}`, `is ${this.base.origin} the address of a coordinator?`);
			}
			// Busy, or behind a balancer that is: the protocol says to ask again.
			if ([429, 502, 503, 504].includes(response.status) && busy < MOST_BUSY) {
				await pause(BUSY_MS);
				continue;
			}
			const bytes = new Uint8Array(await response.arrayBuffer());
			if (response.status === 401 && (await this.authorize())) {
				continue;
			}
			if (!response.ok) {
				const action = response.status === 401 ? 'set TRINO_PASSWORD or TRINO_ACCESS_TOKEN' : `is ${this.base.origin} the address of a coordinator?`;
				throw failed(`answers ${response.status}`, action);
			}
			return objectOf(bytes);
		}
	}

	private tellProgress(stats: JsonValue | undefined): void {
		const percent = stats instanceof Map ? stats.get('progressPercentage') : undefined;
		const value = numberOf(percent ?? null);
		if (value !== null) {
			this.options.onProgress?.(value);
		}
	}

	private async cancel(url: URL): Promise<void> {
		try {
			await fetch(url.href, { method: 'DELETE', headers: this.headers, redirect: 'error', signal: AbortSignal.timeout(REQUEST_MS / 10) });
		} catch {
			// The server ends a statement that nobody asks for.
		}
	}
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

function failed(message: string, action: string): InputError {
	return new InputError({ severity: 'error', file: 'Trino', message: (message.split('\n')[0] ?? '').trim(), action });
}

function objectOf(bytes: Uint8Array): Map<string, JsonValue> {
	let value: JsonValue;
	try {
		value = new ExactJsonReader().reset(bytes).document();
	} catch {
		throw failed('answers with something else than JSON', 'is that the address of a coordinator?');
	}
	if (!(value instanceof Map)) {
		throw failed('answers with something else than a result', 'is that the address of a coordinator?');
	}
	return value;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
	return Array.isArray(value) ? value : [];
}

function columnsOf(value: JsonValue | undefined): EngineColumn[] {
	return listOf(value).map((column) => {
		const [name, type] = column instanceof Map ? [column.get('name'), column.get('type')] : [];
		return { name: String(name ?? ''), type: typeOf(String(type ?? '')) };
	});
}

function typeOf(type: string): ColumnType {
	return /^(?:tinyint|smallint|integer|bigint)$/.test(type)
		? 'integer'
		: /^(?:double|real|decimal)/.test(type)
			? 'number'
			: type === 'boolean'
				? 'boolean'
				: 'text';
}

function cellOf(value: JsonValue): Cell {
	if (typeof value === 'string' || typeof value === 'boolean' || value === null) {
		return value;
	}
	return typeof value === 'bigint' ? wholeNumber(value) : (numberOf(value) ?? null);
}

function numberOf(value: JsonValue): number | null {
	return typeof value === 'number' ? value : typeof value === 'object' && value !== null && 'double' in value ? value.double : null;
}
