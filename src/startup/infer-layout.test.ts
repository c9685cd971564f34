/** Sections inferred from symbols, and from the bytes between them; tables made by hand. */
import { describe, expect, test } from 'vitest';
import type { OutputSection, SymbolTable } from '../model/symbol-table.js';
import { inferLayout } from './infer-layout.js';

type Row = readonly [name: string, address: number, size: number, section?: number];

function table(rows: readonly Row[], more: Partial<SymbolTable> = {}): SymbolTable {
	return {
		kind: 'nm',
		name: 'app',
		machine: null,
		isRelocatable: null,
		entry: null,
		sections: [],
		symbols: {
			names: rows.map(([name]) => name),
			addresses: Float64Array.from(rows, ([, address]) => address),
			sizes: Float64Array.from(rows, ([, , size]) => size),
			sections: Int32Array.from(rows, ([, , , section = -1]) => section),
			isLocal: new Uint8Array(rows.length),
			files: rows.map(() => null),
		},
		inputSections: null,
		readCode: null,
		...more,
	} as SymbolTable;
}

const section = (name: string, address: number, sizeBytes: number, more: Partial<OutputSection> = {}): OutputSection => ({
	name,
	address,
	sizeBytes,
	alignment: 16,
	isExecutable: true,
	fileOffset: 0,
	...more,
});

/** Start, size and alignment of each section, and the section and offset of each function. */
function inferred(given: SymbolTable) {
	const layout = inferLayout(given, 'app');
	return {
		sections: [...layout.sectionStarts].map((start, i) => [start, layout.sectionSizes[i], layout.sectionAlignments[i]]),
		functions: layout.functionNames.map((name, f) => [name, layout.functionSections[f], layout.functionOffsets[f], layout.functionSizes[f]]),
	};
}

describe('without bytes', () => {
	test('each start is a section, but for symbols inside a body; symbols at one address are one function', () => {
		const rows: Row[] = [
			['a', 0x1000, 0x20],
			['inside', 0x101f, 4],
			['b', 0x1040, 0x10],
			['b2', 0x1040, 0x12],
			['c', 0x1052, 8],
		];
		const layout = inferLayout(table(rows), 'app');
		expect(inferred(table(rows))).toMatchObject({
			functions: [
				['a', 0, 0, 0x20],
				['inside', 0, 0x1f, 4],
				['b', 1, 0, 0x12],
				['c', 2, 0, 8],
			],
		});
		expect([...layout.sectionStarts].map((start, i) => [start, layout.sectionSizes[i]])).toEqual([
			[0x1000, 0x23],
			[0x1040, 0x12],
			[0x1052, 8],
		]);
		expect([layout.symbolNames, [...layout.symbolFunctions]]).toEqual([
			['a', 'inside', 'b', 'b2', 'c'],
			[0, 1, 2, 2, 3],
		]);
		expect(layout.regions).toEqual([{ name: '.text', start: 0x1000, alignment: 16, precededBy: [], firstSection: 0, endSection: 3 }]);
	});

	test('start-up code without sizes is one section; what stands beside .text is none of it', () => {
		const rows: Row[] = [
			['_init', 0xff0, 4],
			['deregister', 0x1000, 0],
			['register', 0x1010, 0],
			['main', 0x1040, 0x10],
			['_dl_relocate_static_pie', 0x1050, 5],
			['_fini', 0x1060, 9],
		];
		const layout = inferLayout(table(rows), 'app');
		expect([...layout.functionSections]).toEqual([0, 0, 1, 1]);
		expect(layout.elsewhere).toEqual([
			{ name: '_init', section: null },
			{ name: '_fini', section: null },
		]);
		expect(
			inferLayout(
				table([
					['a', 0x1000, 8],
					['zero', 0x1010, 0],
					['b', 0x1020, 8],
				]),
				'app',
			).functionSections,
		).toEqual(Int32Array.of(0, 1, 2));
	});

	test('a last function without a size ends after a byte in a list, with the region in a table of sections', () => {
		expect(
			inferred(
				table([
					['a', 0x1000, 8],
					['z', 0x1010, 0],
				]),
			)
				.sections.at(-1)
				?.slice(0, 2),
		).toEqual([0x1010, 256]);
		const sections = [section('.text', 0x1000, 0x44)];
		expect(
			inferred(
				table(
					[
						['a', 0x1000, 8, 0],
						['z', 0x1010, 0, 0],
					],
					{ sections },
				),
			)
				.sections.at(-1)
				?.slice(0, 2),
		).toEqual([0x1010, 0x34]);
	});

	test('the region of a list begins with its first function; a last one without a size ends where what stands beside .text begins', () => {
		const layout = inferLayout(
			table([
				['_init', 0x800, 4],
				['z', 0x1010, 0],
				['a', 0x1000, 8],
				['_fini', 0x1034, 9],
			]),
			'app',
		);
		expect(layout.regions[0]).toMatchObject({ start: 0x1000 });
		expect([layout.functionNames, [...layout.sectionSizes]]).toEqual([
			['a', 'z'],
			[8, 0x24],
		]);
		// Symbols of one address keep the order of the table.
		expect(
			inferLayout(
				table([
					['second', 0x1010, 1],
					['x', 0x1000, 1],
					['y', 0x1000, 2],
				]),
				'app',
			).symbolNames,
		).toEqual(['x', 'y', 'second']);
	});

	test('nothing', () => {
		expect(inferLayout(table([]), 'app')).toMatchObject({ regions: [], functionNames: [], elsewhere: [] });
		expect(inferLayout(table([['_init', 5, 5]]), 'app').regions).toEqual([]);
	});
});

describe('regions', () => {
	const chosen = (...sections: OutputSection[]) => {
		const rows = sections.map(({ name, address }, i): Row => [`in ${name}`, address, 4, i]);
		const layout = inferLayout(table(rows, { sections }), 'app');
		return [layout.regions.map(({ name, precededBy }) => [name, precededBy.map(({ sizeBytes }) => sizeBytes)]), layout.elsewhere.map(({ section: of }) => of)];
	};

	test('.text and its parts, by address, with the code between them', () => {
		expect(
			chosen(
				section('.text.hot', 0x3000, 0x10),
				section('.init', 0x1000, 1),
				section('.text', 0x2000, 0x10),
				section('.plt', 0x2100, 7),
				section('.data', 0x2200, 9, { isExecutable: false }),
			),
		).toEqual([
			[
				['.text', []],
				['.text.hot', [7]],
			],
			['.init', '.plt', '.data'],
		]);
	});

	test('where there is none, all code but what the linker itself makes', () => {
		expect(
			chosen(
				section('.init', 0x1000, 1),
				section('.plt.got', 0x1100, 1),
				section('.iplt', 0x1200, 1),
				section('mine', 0x2000, 5),
				section('.initial', 0x3000, 5),
			)[0],
		).toEqual([
			['mine', []],
			['.initial', []],
		]);
	});

	test('without bytes or symbols a region is left out', () => {
		const sections = [section('.text', 0x1000, 0x10), section('.text.empty', 0x2000, 0), section('.text.bare', 0x3000, 0x10)];
		expect(
			inferLayout(
				table(
					[
						['a', 0x1000, 4, 0],
						['b', 0x2000, 4, 1],
						['far', 0x1010, 4, 0],
						['before', 0xfff, 4, 0],
					],
					{ sections },
				),
				'app',
			),
		).toMatchObject({
			regions: [{ name: '.text' }],
			elsewhere: [{ name: 'b' }, { name: 'far' }, { name: 'before' }],
		});
	});
});

describe('regions', () => {
	const regionsOf = (...names: readonly string[]) => {
		const sections = names.map((name, i) => section(name, 0x1000 * (names.length - i), 0x10));
		const rows = sections.map(({ address }, i): Row => [`f${i}`, address, 4, i]);
		return inferLayout(table(rows, { sections }), 'app').regions.map(({ name }) => name);
	};

	test.each([
		['.text and what is kept apart from it, by address', ['.text.hot', '.init', 'other', '.text', '.textual'], ['.text', '.text.hot']],
		[
			'without it all code but what the linker made',
			['.plt', '.init', 'app.init', '.initial', '.plt.sec', '.iplt', '.fini', '.init.x', 'code'],
			['code', '.initial', 'app.init'],
		],
		['none of nothing', [], []],
	])('%s', (_what, names, regions) => {
		expect(regionsOf(...names)).toEqual(regions);
	});

	test('the files of symbols, where the table has them, and whether they are local', () => {
		const given = table([
			['a', 0x1000, 4],
			['b', 0x1010, 4],
		]);
		const symbols = { ...given.symbols, files: ['a.c', null], isLocal: Uint8Array.of(1, 0) };
		const { symbolFiles, symbolIsLocal } = inferLayout({ ...given, symbols }, 'app');
		expect([symbolFiles, symbolIsLocal]).toEqual([['a.c', null], Uint8Array.of(1, 0)]);
	});
});

describe('with bytes', () => {
	/** Code at 0x1000: `c` code, `.` what the linker fills with, `n` what the assembler does. */
	const coded = (picture: string, rows: readonly Row[], machine = 'X86_64') => {
		const bytes = Uint8Array.from(picture, (one) => (one === '.' ? (machine === 'X86_64' ? 0xcc : 0) : one === 'n' ? 0x90 : 1));
		const sections = [section('.text', 0x1000, picture.length)];
		return inferLayout(table(rows, { sections, machine, readCode: (_address: number, count: number) => bytes.subarray(0, count) }), 'app');
	};

	test('functions with nops between them share a section', () => {
		const picture = 'cccnccccc.......ccccc...';
		const rows: Row[] = [
			['a', 0x1000, 3, 0],
			['b', 0x1004, 5, 0],
			['c', 0x1010, 5, 0],
		];
		const layout = coded(picture, rows);
		expect([...layout.functionSections]).toEqual([0, 0, 1]);
		expect([...layout.sectionSizes]).toEqual([9, 5]);
		expect([...coded(picture, rows, 'AARCH64').functionSections]).toEqual([0, 0, 1]);
	});

	test('the padding is told from code that ends like it; sizes that are missing end there', () => {
		const layout = coded('ccc.ccccc.......ccccc...', [
			['a', 0x1000, 0, 0],
			['b', 0x1004, 6, 0],
			['c', 0x1010, 0, 0],
		]);
		expect([...layout.functionSections]).toEqual([0, 1, 2]);
		// b is as long as its size says, whatever its last byte.
		expect([...layout.sectionSizes]).toEqual([3, 6, 5]);
	});

	test('where most share their section, those that touch do too; else they do not', () => {
		const rows: Row[] = [
			['a', 0x1000, 2, 0],
			['b', 0x1002, 2, 0],
			['c', 0x1006, 2, 0],
			['d', 0x100a, 2, 0],
			['e', 0x1010, 2, 0],
		];
		expect([...coded('ccccnnccnncc....cc', rows).functionSections]).toEqual([0, 0, 0, 0, 1]);
		expect([...coded('cccc..ccnncc....cc', rows).functionSections]).toEqual([0, 1, 2, 2, 3]);
	});

	test('few gaps tell nothing where most touch: busybox is aligned to nothing, and has sections of functions', () => {
		const rows = Array.from({ length: 8 }, (_, i): Row => [`f${i}`, 0x1000 + 2 * i + (i > 4 ? 2 : 0), 2, 0]);
		const touching = coded('ccccccccccnncccccc', rows);
		expect([...touching.functionSections]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
		expect(touching.touching).toBe(0);
		const filled = coded('ccccccccccnncccc..cc', rows.with(7, ['f7', 0x1012, 2, 0]));
		expect([...filled.functionSections]).toEqual([0, 1, 2, 3, 4, 4, 5, 6]);
		expect(filled.touching).toBe(5);
	});

	test('start-up code without a size ends where what has one begins', () => {
		const rows: Row[] = [
			['_start', 0x1000, 4, 0],
			['deregister_tm_clones', 0x1010, 0, 0],
			['frame_dummy', 0x1014, 0, 0],
			['main', 0x1017, 2, 0],
			['f', 0x1019, 2, 0],
		];
		expect([...coded('cccc............ccnnccccccc', rows).functionSections]).toEqual([0, 1, 1, 2, 3]);
	});

	test('bytes that end before the code does are as none', () => {
		const rows: Row[] = [
			['a', 0x1000, 3, 0],
			['b', 0x1004, 5, 0],
			['c', 0x1010, 5, 0],
		];
		const picture = 'cccnccccc.......ccccc...';
		const shared = (bytes: number) => {
			const code = Uint8Array.from(picture.slice(0, bytes), (one) => (one === '.' ? 0xcc : one === 'n' ? 0x90 : 1));
			const sections = [section('.text', 0x1000, picture.length)];
			return [...inferLayout(table(rows, { sections, machine: 'X86_64', readCode: () => code }), 'app').functionSections];
		};
		expect([shared(24), shared(23)]).toEqual([
			[0, 0, 1],
			[0, 1, 2],
		]);
	});

	test('nops inside a section show what it is aligned to at least', () => {
		/** The last section begins at 0x1080 and has functions from and up to these addresses, with nops between them. */
		const lastAlignment = (...inside: readonly (readonly [start: number, end: number])[]) => {
			const own = [[0x1000, 0x1008], [0x1010, 0x1028], [0x1030, 0x1048], [0x1050, 0x1078], ...inside] as const;
			let picture = '';
			own.forEach(([start, end], i) => {
				picture += (i <= 4 ? '.' : 'n').repeat(start - 0x1000 - picture.length) + 'c'.repeat(end - start);
			});
			return coded(
				picture,
				own.map(([start, end], i): Row => [`f${i}`, start, end - start, 0]),
			).sectionAlignments.at(-1);
		};
		expect(lastAlignment([0x1080, 0x10b8], [0x10c0, 0x10d0])).toBe(16);
		expect(lastAlignment([0x1080, 0x10a8], [0x10c0, 0x10d0])).toBe(32);
		expect(lastAlignment([0x1080, 0x1098], [0x10c0, 0x10d0])).toBe(64);
		expect(lastAlignment([0x1080, 0x1098], [0x10c0, 0x10d0], [0x10e0, 0x10e8])).toBe(64);
		// No alignment leads to such an address.
		expect(lastAlignment([0x1080, 0x1098], [0x10c8, 0x10d0])).toBe(16);
	});

	test('nothing filled as a linker does: as without bytes', () => {
		expect([
			...coded('cccnccccc', [
				['a', 0x1000, 3, 0],
				['b', 0x1004, 5, 0],
			]).functionSections,
		]).toEqual([0, 1]);
	});
});

test('a link map tells sections; functions lie in the one that has them', () => {
	const sections = [section('.text', 0x1000, 0x100), section('.other', 0x2000, 0x10)];
	const input = (address: number, sizeBytes: number, alignment: number, of = 0) => ({ name: 'o', address, sizeBytes, alignment, section: of });
	const rows: Row[] = [
		['a', 0x1000, 4, 0],
		['b', 0x100f, 4, 0],
		['c', 0x1010, 4, 0],
		['d', 0x1050, 4, 0],
	];
	expect(
		inferred(table(rows, { sections, inputSections: [input(0x1000, 0x10, 16), input(0x1010, 0x20, 4), input(0x1040, 0x8, 8), input(0x2000, 1, 1, 1)] })),
	).toEqual({
		sections: [
			[0x1000, 0x10, 16],
			[0x1010, 0x20, 4],
			[0x1040, 8, 8],
		],
		functions: [
			['a', 0, 0, 4],
			['b', 0, 15, 4],
			['c', 1, 0, 4],
			['d', 2, 16, 4],
		],
	});
});

describe('alignments', () => {
	const alignments = (...rows: readonly (readonly [start: number, size: number])[]) =>
		inferred(table(rows.map(([start, size], i): Row => [`f${i}`, start, size]))).sections.map(([, , alignment]) => alignment);

	test('what most have; less where the address allows no more', () => {
		expect(alignments([0x1000, 0x10], [0x1010, 0x10], [0x1020, 0x10], [0x1030, 0x10])).toEqual([16, 16, 16, 16]);
		// Three of four at multiples of 16 are enough.
		expect(alignments([0x1000, 0x10], [0x1010, 0x10], [0x1020, 0x14], [0x1034, 4])).toEqual([16, 16, 16, 4]);
		expect(alignments([0x1000, 0x10], [0x1010, 0x12], [0x1022, 0x12], [0x1034, 4])).toEqual([4, 4, 2, 4]);
	});

	test('the largest that is proved, where the address allows it and nothing smaller is certain', () => {
		const four = [
			[0x1000, 0x10],
			[0x1010, 0x10],
			[0x1020, 0x10],
			[0x1030, 0x10],
		] as const;
		// A gap of 0x10 at a multiple of 32 only: 32 for certain, although 64 is proved elsewhere.
		expect(alignments(...four, [0x1040, 0x10], [0x1060, 0x20], [0x10c0, 0x10], [0x10d0, 4])).toEqual([16, 16, 16, 16, 16, 32, 64, 16]);
	});

	test('what 32 would explain is 64 where only 64 is proved', () => {
		const sixteen = Array.from({ length: 8 }, (_, i) => [0x1000 + 16 * i, 16] as const);
		// From 0x1081 to 0x10c0 only 64 leads; before 0x1140 and 0x1160 there are 0x18 bytes, as 32 leaves them.
		const proof = [
			[0x1080, 1],
			[0x10c0, 0x10],
			[0x10d0, 0x10],
			[0x10e0, 0x10],
			[0x10f0, 0x38],
		] as const;
		expect(alignments(...sixteen, ...proof, [0x1140, 0x10]).slice(8)).toEqual([16, 64, 16, 16, 16, 64]);
		// 0x1160 can be no 64: 32 is in use too.
		expect(alignments(...sixteen, ...proof, [0x1140, 8], [0x1160, 0x10]).slice(8)).toEqual([16, 64, 16, 16, 16, 32, 32]);
		expect(alignments(...sixteen, [0x1080, 0x28], [0x10c0, 0x10]).slice(8)).toEqual([16, 32]);
	});

	test('more where a gap needs it and the address allows it', () => {
		// 0x30 bytes of gap need 64.
		expect(alignments([0x1000, 0x10], [0x1010, 0x10], [0x1020, 0x10], [0x1030, 0x10], [0x1040, 0x10], [0x1080, 0x10], [0x1090, 4])).toEqual([
			16, 16, 16, 16, 16, 64, 16,
		]);
	});
});
