/** A server of `assay mcp` in this process, with the client of the protocol's own SDK. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { COMMANDS } from '../src/cli/commands.js';
import { openRoots } from '../src/cli/mcp/roots.js';
import { createServer } from '../src/cli/mcp/server.js';
import { toolsOf } from '../src/cli/mcp/tools.js';

export interface McpAnswer {
	/** Of the whole message. */
	readonly bytes: number;
	readonly isError: boolean;
	/** The structured answer. */
	readonly answer: Record<string, unknown>;
	/** The same as text. */
	readonly text: string;
}

const root = path.resolve(import.meta.dirname, '..');

export async function connectClient(roots: readonly string[], allowRecord = false): Promise<Client> {
	const server = createServer({ tools: await toolsOf(COMMANDS), roots: openRoots(roots, root), allowRecord, commands: COMMANDS });
	const client = new Client({ name: 'test', version: '1' });
	const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
	await server.connect(serverSide);
	await client.connect(clientSide);
	return client;
}

export async function ask(client: Client, name: string, given: Record<string, unknown> = {}): Promise<McpAnswer> {
	const result = await client.callTool({ name, arguments: given });
	const [first] = result.content as { text: string }[];
	return {
		bytes: Buffer.byteLength(JSON.stringify(result)),
		isError: result.isError === true,
		answer: result.structuredContent as Record<string, unknown>,
		text: first?.text ?? '',
	};
}
