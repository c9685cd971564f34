import { describe, expect, test } from 'vitest';
import { memorySource } from '../bytes/source.js';
import { FORMATS } from '../formats/registry.js';
import { HEAD_BYTES, tellFormats } from './tell-format.js';

const LOG = "<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='7' time_ms='1'>\n";
const SAFEPOINT =
	'[0.123s][info][safepoint] Safepoint "ICBufferFull", Time since last: 1000 ns, Reaching safepoint: 10 ns, At safepoint: 20 ns, Total: 30 ns\n';
const COMPILED = '     20    1       3       java.lang.Object::<init> (1 bytes)\n';

function kinds(text: string): string[] {
	const source = memorySource('out', Buffer.from(text, 'latin1'));
	return tellFormats(FORMATS, 'out', text.slice(0, HEAD_BYTES), source).formats.map(({ name }) => name);
}

function output(bytes: number): string {
	return 'the program says (3 bytes) of it\n'.repeat(Math.ceil(bytes / 33));
}

describe('behind any amount of other output', () => {
	test.each([0, 36_000, HEAD_BYTES - 40, HEAD_BYTES - 3, HEAD_BYTES, HEAD_BYTES + 1, 3 * HEAD_BYTES + 17])('%i bytes', (bytes) => {
		expect(kinds(`${output(bytes)}${LOG}`)).toContain('hotspot-log');
		expect(kinds(`${output(bytes)}${SAFEPOINT}`)).toContain('safepoint-log');
		expect(kinds(`${output(bytes)}${COMPILED}`)).toContain('print-compilation');
		expect(kinds(`${output(bytes)}${COMPILED}${output(bytes)}${SAFEPOINT}`)).toEqual(expect.arrayContaining(['print-compilation', 'safepoint-log']));
	});

	test('a mark may lie across two blocks', () => {
		for (const shift of [0, 29, 30, 31, 47, 63, 64, 65]) {
			expect(kinds(`${'x'.repeat(2 * HEAD_BYTES - 100 + shift)}\n${LOG}`)).toContain('hotspot-log');
		}
	});

	test('a log with safepoints behind it holds both, wherever it begins', () => {
		expect(kinds(`${output(100)}${LOG}${SAFEPOINT}`)).toEqual(['hotspot-log', 'safepoint-log']);
		expect(kinds(`${output(2 * HEAD_BYTES)}${LOG}${SAFEPOINT}`)).toEqual(['hotspot-log', 'safepoint-log']);
	});
});

test('output without anything of it is text that may hold statistics only', () => {
	expect(kinds(output(2 * HEAD_BYTES))).toEqual(['memory-statistics']);
});

test('an empty file is told by its name', () => {
	expect(tellFormats(FORMATS, 'safepoint.log', '', null).formats.map(({ name }) => name)).toEqual(['safepoint-log']);
	expect(tellFormats(FORMATS, 'other.log', '', null).formats).toEqual([]);
});
