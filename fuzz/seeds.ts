/** Real inputs: the recordings of fixtures/ and examples/, unpacked; the smallest of each reader's format, and what tests build of formats that have none there. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { zstdLibrary } from '../src/recording/zstd-library.js';
import { agentLog, jvmRecord, loadRecord, methodRecord, stubRecord } from '../test/agent-log.js';
import { elfFile } from '../test/elf-file.js';
import { commonInformation, frameSection } from '../test/frame-section.js';
import { GO_TEXT, goTable } from '../test/go-table.js';
import { DumpWriter } from '../test/jitdump.js';
import { indexedProfile } from '../test/llvm-profile.js';
import { encodeOrderDump } from '../test/order-dump.js';
import type { FuzzedReader } from './readers.js';

export interface Seed {
	/** Without folders and the endings of compressed files. */
	readonly name: string;
	readonly bytes: Uint8Array;
}

const MOST_SEEDS = 24;
const HEAD_BYTES = 64 << 10;
const LARGEST_TEXT_BYTES = 12 << 10;
/** Tables stand at the ends of binary files: these are whole, or none. */
const LARGEST_BINARY_BYTES = 600 << 10;

/** All of them, the smallest first. */
export async function readSeeds(root: string): Promise<readonly Seed[]> {
	const openZstd = await zstdLibrary();
	const seeds: Seed[] = built();
	for (const folder of ['fixtures', 'examples']) {
		for (const entry of fs.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })) {
			const file = path.join(entry.parentPath, entry.name);
			if (!entry.isFile() || fs.statSync(file).size > 4 << 20) {
				continue;
			}
			const bytes = fs.readFileSync(file);
			const name = entry.name.replace(/\.(?:gz|zst)$/, '');
			if (entry.name.endsWith('.zst')) {
				const decoder = openZstd();
				seeds.push({ name, bytes: shortened(Buffer.concat([...decoder.push(bytes)])) });
				decoder.close();
			} else {
				seeds.push({ name, bytes: shortened(entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes) });
			}
		}
	}
	return seeds.filter(({ bytes }) => bytes.length > 0 && bytes.length <= LARGEST_BINARY_BYTES).sort((a, b) => a.bytes.length - b.bytes.length);
}

/** Of a text the beginning is enough; whole lines. */
function shortened(bytes: Uint8Array): Uint8Array {
	const isText = !bytes.subarray(0, 4096).includes(0);
	return isText && bytes.length > LARGEST_TEXT_BYTES ? bytes.slice(0, bytes.lastIndexOf(10, LARGEST_TEXT_BYTES) + 1 || LARGEST_TEXT_BYTES) : bytes;
}

/** The smallest ones and some that are larger; without any the smallest of all, which it has to refuse. */
export function seedsOf(reader: FuzzedReader, seeds: readonly Seed[]): readonly Seed[] {
	const own = seeds.filter(({ bytes }) => reader.takes(Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')));
	const chosen = own.length === 0 ? seeds : own;
	const step = Math.max(1, chosen.length / MOST_SEEDS);
	return Array.from({ length: Math.min(MOST_SEEDS, chosen.length) }, (_, i) => chosen[Math.floor(i * step)]!);
}

function built(): Seed[] {
	const code = Uint8Array.from([0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3]);
	const dump = {
		modules: [{ id: 1, functionCount: 3, hash: '00000000000000aa' }],
		entries: [
			[1, 0],
			[1, 2],
			[1, 1],
		] as const,
	};
	/** Needs the library whose name stands at byte 1, and is called so. */
	const dynamic = (is64: boolean, isLittle: boolean): Buffer => {
		const half = is64 ? 8 : 4;
		const words = [1, 1, 14, 1, 0, 0];
		const bytes = Buffer.alloc(words.length * half);
		const last = isLittle ? 0 : half - 1;
		words.forEach((word, i) => {
			bytes[i * half + last] = word;
		});
		return bytes;
	};
	const elf = (is64: boolean, isLittle: boolean): Buffer =>
		elfFile({
			is64,
			isLittle,
			sections: [
				{ name: '.text', address: 0x1000, bytes: code, flags: 6 },
				{ name: '.dynamic', address: 0, bytes: dynamic(is64, isLittle), kind: 6, link: 3 },
				{ name: '.dynstr', address: 0, bytes: Buffer.from('\0libz.so.1\0'), kind: 3 },
			],
			symbols: [
				{ name: 'main', offset: 0, size: 4 },
				{ name: 'f', offset: 4, size: 2, isLocal: true },
			],
		});
	/** Without symbols; its functions are told by the frames, or by what Go's runtime needs. */
	const stripped = (name: string, bytes: Uint8Array): Buffer =>
		elfFile({
			sections: [
				{ name: '.text', address: GO_TEXT, bytes: Buffer.alloc(256, 0xcc) },
				{ name, address: 0x500000, bytes, flags: 2 },
				{ name: '.go.buildinfo', address: 0x600000, bytes: Buffer.alloc(32), flags: 2 },
			],
			symbols: [],
			symbolTable: '.dynsym',
		});
	const frames = frameSection(commonInformation('zPLR', [0x9b, 1, 2, 3, 4, 0x1b, 0x1b]), 0x500000, [
		[GO_TEXT, 9],
		[GO_TEXT + 16, 40],
	]);
	const made: readonly (readonly [string, Uint8Array])[] = [
		['assay.trace', encodeOrderDump(dump)],
		['assay-big.trace', encodeOrderDump({ ...dump, isLittle: false })],
		['agent.log', agentLog([jvmRecord(), methodRecord(), loadRecord(), stubRecord('stub', 0x2000, [0xc3])])],
		['jit.dump', new DumpWriter({}).load(1, 0x1000, 0, 'f', code).move(2, 0x1000, 0x2000, 6, 0).bytes],
		['jit-big.dump', new DumpWriter({ isLittleEndian: false }).load(1, 0x1000, 0, 'f', code).bytes],
		['app', elf(true, true)],
		['app32', elf(false, true)],
		['app-big', elf(true, false)],
		['app-stripped', stripped('.eh_frame', frames)],
		...(['1.2', '1.16', '1.20'] as const).map((version): [string, Uint8Array] => [`app-go-${version}`, stripped('.gopclntab', goTable({ version }))]),
		['app-go-merged', stripped('.data.rel.ro', goTable({ version: '1.18' }))],
		['merged.profdata', indexedProfile(['main', 'f'], [{ weight: 1n, names: ['main', 'f'] }])],
	];
	return made.map(([name, bytes]) => ({ name, bytes: new Uint8Array(bytes) }));
}
