/** Passwords that a server asks for. Real ones answer in live/store-trino.test.ts. */
import { afterEach, expect, test, vi } from 'vitest';
import { openTrino } from './trino.js';

afterEach(() => vi.unstubAllGlobals());

const OPTIONS = { catalog: 'hive', schema: 'assay', user: 'me', password: null, accessToken: null };

/** A server that wants this password; the result is what it was sent. */
function server(password: string): { sent: (string | undefined)[] } {
	const sent: (string | undefined)[] = [];
	const wanted = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
	vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Record<string, string> }) => {
		sent.push(headers.Authorization);
		const isRight = headers.Authorization === wanted;
		return new Response(isRight ? '{"id":"1","columns":[{"name":"n","type":"bigint"}],"data":[[1]]}' : 'no', { status: isRight ? 200 : 401 });
	});
	return { sent };
}

test('a password is asked for once, where the server wants one', async () => {
	const { sent } = server('swordfish');
	const askPassword = vi.fn(async () => 'swordfish');
	const engine = openTrino({ ...OPTIONS, server: 'https://trino.example.org', askPassword });
	expect((await engine.run('SELECT 1')).rows).toEqual([[1]]);
	expect((await engine.run('SELECT 1')).rows).toEqual([[1]]);
	expect(askPassword).toHaveBeenCalledTimes(1);
	expect(sent[0]).toBeUndefined();
});

test('a wrong one is told as refused, and is in no message', async () => {
	server('another');
	const engine = openTrino({ ...OPTIONS, server: 'https://trino.example.org', askPassword: async () => 'swordfish' });
	const error: Error = await engine.run('SELECT 1').then(
		() => new Error('it was answered'),
		(reason) => reason as Error,
	);
	expect(error.message).toContain('answers 401');
	expect(JSON.stringify(error)).not.toMatch(/swordfish|c3dvcmRmaXNo/);
});

test.each([
	['over http nothing is asked', { server: 'http://127.0.0.1:1' }],
	['nor where a token was given', { server: 'https://trino.example.org', accessToken: 'token' }],
])('%s', async (_, options) => {
	server('swordfish');
	const askPassword = vi.fn(async () => 'swordfish');
	await expect(openTrino({ ...OPTIONS, ...options, askPassword }).run('SELECT 1')).rejects.toThrow('answers 401');
	expect(askPassword).not.toHaveBeenCalled();
});

/** A server whose first answers are these errors. */
function failing(times: number, error: object): { asked: () => number } {
	let asked = 0;
	vi.stubGlobal('fetch', async () => {
		asked++;
		const answer = asked <= times ? { id: '20261126_1', error } : { id: '20261126_2', columns: [{ name: 'n', type: 'bigint' }], data: [[1]] };
		return new Response(JSON.stringify(answer));
	});
	return { asked: () => asked };
}

test('a server whose workers are not there yet is asked again, for a while', async () => {
	vi.stubGlobal('setTimeout', (go: () => void) => setImmediate(go));
	const engine = openTrino({ ...OPTIONS, server: 'http://127.0.0.1:1' });
	const error = { message: 'No nodes available to run query', errorName: 'NO_NODES_AVAILABLE', errorType: 'INSUFFICIENT_RESOURCES' };
	const soon = failing(2, error);
	expect((await engine.run('SELECT 1')).rows).toEqual([[1]]);
	expect(soon.asked()).toBe(3);
	const never = failing(1000, error);
	await expect(engine.run('SELECT 1')).rejects.toMatchObject({ problem: { message: error.message, action: expect.stringContaining('ask again later') } });
	expect(never.asked()).toBe(31);
});

test.each([
	['USER_ERROR', 'mend the question'],
	['INTERNAL_ERROR', "see the server's log, query 20261126_1"],
])('what is to be done about an error of the type %s', async (errorType, action) => {
	failing(1, { message: 'no', errorName: 'ANY', errorType });
	const engine = openTrino({ ...OPTIONS, server: 'http://127.0.0.1:1' });
	await expect(engine.run('SELECT 1')).rejects.toMatchObject({ problem: { action: expect.stringContaining(action) } });
});
