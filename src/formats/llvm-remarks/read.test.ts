import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { argumentOf, joinedRemarks, messageOf, NONE, REMARK_KINDS, type Remarks } from '../../model/remarks.js';
import { isBitstreamRemarks, readBitstreamRemarks } from './read-bitstream.js';
import { isYamlRemarks, readYamlRemarks } from './read-yaml.js';

const FOLDER = 'fixtures/native/remarks';
const yaml = gunzipSync(fs.readFileSync(`${FOLDER}/demo.opt.yaml.gz`));
const newer = fs.readFileSync(`${FOLDER}/demo.22.bitstream`);
const older = fs.readFileSync(`${FOLDER}/demo.19.bitstream`);

function ofYaml(text: string | Uint8Array): ReturnType<typeof readYamlRemarks> {
	return readYamlRemarks(memorySource('a.opt.yaml', Buffer.from(text)));
}

function countsBy(remarks: Remarks, keyOf: (i: number) => string): string[] {
	const counts = new Map<string, number>();
	for (let i = 0; i < remarks.length; i++) {
		counts.set(keyOf(i), (counts.get(keyOf(i)) ?? 0) + 1);
	}
	return [...counts].map(([key, count]) => `${key},${count}`).sort();
}

/** All that a remark says. */
function described(remarks: Remarks): string[] {
	const { places, text } = remarks;
	const placed = (place: number): string => (place === NONE ? '' : `${text(places.file[place]!)}:${places.line[place]}:${places.column[place]}`);
	return Array.from({ length: remarks.length }, (_, i) => {
		const own = [REMARK_KINDS[remarks.kind[i]!], text(remarks.pass[i]!), text(remarks.name[i]!), text(remarks.function[i]!), placed(remarks.place[i]!)];
		const inner: string[] = [];
		for (let at = remarks.firstArgument[i]!; at < remarks.firstArgument[i + 1]!; at++) {
			inner.push(`${text(remarks.arguments.key[at]!)}=${text(remarks.arguments.value[at]!)}@${placed(remarks.arguments.place[at]!)}`);
		}
		return [...own, ...inner].join(' ');
	});
}

describe('as llvm-remarkutil counts', () => {
	const expected = fs.readFileSync(`${FOLDER}/triples.csv`, 'utf8').trim().split('\n').sort();
	const byFunction = fs.readFileSync(`${FOLDER}/counts.csv`, 'utf8').trim().split('\n').slice(1).sort();
	test.each([
		['YAML', readYamlRemarks(memorySource('a', yaml))],
		['bitstream of LLVM 22, texts last', readBitstreamRemarks(memorySource('a', newer))],
		['bitstream of LLVM 19, texts first', readBitstreamRemarks(memorySource('a', older))],
	])('%s', (_, { remarks, problems }) => {
		expect(problems).toEqual([]);
		const { pass, name, text } = remarks;
		expect(countsBy(remarks, (i) => [pass, name, remarks.function].map((column) => text(column[i]!)).join(','))).toEqual(expected);
		expect(countsBy(remarks, (i) => text(remarks.function[i]!))).toEqual(byFunction);
	});
});

test('both forms say the same', () => {
	const all = described(ofYaml(yaml).remarks);
	expect(described(readBitstreamRemarks(memorySource('a', newer)).remarks)).toEqual(all);
	expect(described(joinedRemarks([ofYaml(yaml).remarks, readBitstreamRemarks(memorySource('a', newer)).remarks]))).toEqual([...all, ...all]);
});

test('a remark in all its forms', () => {
	const { remarks, problems } = ofYaml(
		`--- !Missed
Pass:            inline
Name:            TooCostly
DebugLoc:        { File: 'it''s here/with a long name.c', Line: 30733, 
                   Column: 11 }
Function:        '_Z1fv'
Hotness:         12
Args:
  - String:          ''''
  - Callee:          g
    DebugLoc:        { File: b.c, Line: 5, Column: 0 }
  - String:          ''' not inlined\\n'
  - Cost:            '255'
  - String:          "\\nwhy\\x21 \\u00e9\\t"
  - Text: |
      first
      second
...
--- !AnalysisFPCommute
Pass: loop-vectorize
Name: X
Function: f
...
`,
	);
	expect(problems).toEqual([]);
	expect(remarks.length).toBe(2);
	expect(messageOf(remarks, 0)).toBe(`'g' not inlined\\n255\nwhy! é\tfirst\nsecond\n`);
	expect(argumentOf(remarks, 0, 'Cost')).toBe('255');
	expect(argumentOf(remarks, 0, 'Threshold')).toBeNull();
	expect(described(remarks)[0]).toContain(`missed inline TooCostly _Z1fv it's here/with a long name.c:30733:11 String='@ Callee=g@b.c:5:0`);
	expect(REMARK_KINDS[remarks.kind[1]!]).toBe('analysis-fp-commute');
	expect(remarks.place[1]).toBe(NONE);
});

test('what is no remark is told, and left out', () => {
	const { remarks, problems } = ofYaml('text\n--- !Passed\nPass: a\n...\n--- !Passed\nPass: a\nName: b\nFunction: f\nWhat: x\n');
	expect(remarks.length).toBe(1);
	expect(problems.map(({ line, message }) => [line, message])).toEqual([
		[1, 'is no line of a remark'],
		[9, 'is no line of a remark'],
		[undefined, 'a remark without a pass or a name'],
	]);
});

test('told by the first bytes', () => {
	expect(isYamlRemarks(yaml.toString('latin1', 0, 200))).toBe(true);
	expect(isYamlRemarks('--- !Passed\nName: x')).toBe(false);
	expect(isBitstreamRemarks(newer.toString('latin1', 0, 200))).toBe(true);
});

test('cut and damaged files are read as far as they go', () => {
	const cut = readBitstreamRemarks(memorySource('a', newer.subarray(0, newer.length >> 1)));
	expect(cut.remarks.length).toBeGreaterThan(10);
	expect(cut.problems.map(({ severity }) => severity)).toEqual(['error', 'error']);
	fc.assert(
		fc.property(fc.constantFrom(yaml, newer, older), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }), fc.nat(), (whole, changes, end) => {
			const bytes = Buffer.from(whole.subarray(0, end % (whole.length + 1)));
			for (const [at, value] of changes) {
				bytes[at % Math.max(1, bytes.length)] = value;
			}
			described(readYamlRemarks(memorySource('a', bytes)).remarks);
			described(readBitstreamRemarks(memorySource('a', bytes)).remarks);
		}),
		{ numRuns: 150 },
	);
});
