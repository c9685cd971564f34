/**
 * Whole commands on folders of damaged evidence: a few files of different recordings, whole and damaged, some packed, some with names that say another thing.
 * A command ends with a documented status, and what it says on standard error names a file or a folder; it never shows a stack.
 */
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CommandIo } from '../src/cli/io.js';
import { mutated } from './mutate.js';
import type { Random } from './random.js';
import type { Seed } from './seeds.js';

export const FOLDERS = 'folders';

export interface Assay {
	readonly main: (argv: readonly string[], io: CommandIo) => Promise<number>;
}

const MOST_FILES = 7;
const COMMANDS: readonly (readonly string[])[] = [
	['report', 'run'],
	['report', 'run', '--json', '--no-index'],
	['report', 'run', '-o', 'page.html'],
	['hot', 'run'],
	['hot', 'run', '--json'],
	['compilations', 'run'],
	['bias', 'run'],
	['bias', 'run', '--ttsp'],
	['doctor', 'run'],
	['doctor', 'run', '--json'],
	['memory', 'run'],
	['diff', 'run', 'run'],
	['export', 'run', '--to', 'collapsed'],
	['export', 'run', '--to', 'firefox'],
	['export', 'run', '--to', 'json'],
	['export', 'run', '--to', 'csv', '-o', 'tables/'],
	['order', 'decode', 'run'],
	['order', 'merge', 'run'],
];
/** 1 is for --fail-on alone, 4 for standard output. */
const STATUSES = [0, 2, 3];

/** Throws what is wrong, with the command and the files. */
export async function runOnFolder({ main }: Assay, folder: string, seeds: readonly Seed[], random: Random): Promise<void> {
	fs.rmSync(folder, { recursive: true, force: true });
	const run = path.join(folder, 'run');
	fs.mkdirSync(run, { recursive: true });
	const names: string[] = [];
	for (let i = 1 + random.below(MOST_FILES); i > 0; i--) {
		const { name, bytes } = random.one(seeds);
		const content = random.isChance(0.3) ? bytes : mutated([bytes, random.one(seeds).bytes], random);
		const isPacked = random.isChance(0.15);
		const file = `${random.isChance(0.8) ? name : random.one(seeds).name}${isPacked ? '.gz' : ''}`;
		fs.writeFileSync(path.join(run, file), isPacked ? gzipSync(content).subarray(0, random.isChance(0.3) ? 40 : undefined) : content);
		names.push(file);
	}
	const named = random.isChance(0.3) ? path.join('run', random.one(names)) : 'run';
	const argv = random.one(COMMANDS).map((word) => (word === 'run' ? named : word));
	let errors = '';
	const io: CommandIo = {
		workingDirectory: folder,
		isTerminal: random.isChance(0.2),
		out() {},
		outBytes() {},
		err(text) {
			errors += text;
		},
	};
	const line = `assay ${argv.join(' ')}, of a folder with ${names.join(', ')}`;
	let status: number;
	try {
		status = await main(argv, io);
	} catch (error) {
		throw new Error(`${line}\n${error instanceof Error ? error.stack : String(error)}`);
	}
	const hasPlace = status !== 3 || errors.split('\n').some((text) => /^(?:assay |error: ).*(?:run|input|page|tables)/.test(text));
	if (!STATUSES.includes(status) || /\n\s+at \S+ \(|TypeError|RangeError/.test(errors) || !hasPlace) {
		throw new Error(`${line}\nends with ${status}, and says ${JSON.stringify(errors.slice(0, 2000))}`);
	}
}
