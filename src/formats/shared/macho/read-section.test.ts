import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../../bytes/source.js';
import { isMachO, readMachOSections } from './read-section.js';

const source = (bytes: Buffer): ReturnType<typeof memorySource> => memorySource('app', bytes);

/** A file of one architecture with one segment and one section, whose bytes are at its end. */
function thin(is64: boolean, text: string, segment = '__ASSAY', section = '__order_map'): Buffer {
	const header = is64 ? 32 : 28;
	const [segmentBytes, sectionBytes] = is64 ? [72, 80] : [56, 68];
	const bytes = Buffer.alloc(header + 8 + segmentBytes + sectionBytes);
	bytes.writeUInt32LE(is64 ? 0xfeedfacf : 0xfeedface, 0);
	bytes.writeUInt32LE(2, 16);
	bytes.writeUInt32LE(8 + segmentBytes + sectionBytes, 20);
	// Another command first.
	bytes.writeUInt32LE(0x1b, header);
	bytes.writeUInt32LE(8, header + 4);
	const at = header + 8;
	bytes.writeUInt32LE(is64 ? 0x19 : 1, at);
	bytes.writeUInt32LE(segmentBytes + sectionBytes, at + 4);
	const own = at + segmentBytes;
	bytes.write(section, own, 'latin1');
	bytes.write(segment, own + 16, 'latin1');
	if (is64) {
		bytes.writeBigUInt64LE(BigInt(text.length), own + 40);
	} else {
		bytes.writeUInt32LE(text.length, own + 36);
	}
	bytes.writeUInt32LE(bytes.length, own + (is64 ? 48 : 40));
	return Buffer.concat([bytes, Buffer.from(text)]);
}

function fat(...parts: readonly Buffer[]): Buffer {
	const head = Buffer.alloc(8 + 20 * parts.length);
	head.writeUInt32BE(0xcafebabe, 0);
	head.writeUInt32BE(parts.length, 4);
	let offset = head.length;
	parts.forEach((part, i) => {
		head.writeUInt32BE(offset, 8 + 20 * i + 8);
		head.writeUInt32BE(part.length, 8 + 20 * i + 12);
		offset += part.length;
	});
	return Buffer.concat([head, ...parts]);
}

const texts = (bytes: Buffer): string[] => readMachOSections(source(bytes), '__ASSAY', '__order_map').map((found) => Buffer.from(found).toString());

test('the section of a file, of 32 or 64 bits, and of each architecture', () => {
	expect(texts(thin(true, 'one'))).toEqual(['one']);
	expect(texts(thin(false, 'two'))).toEqual(['two']);
	expect(texts(fat(thin(true, 'one'), thin(false, 'two')))).toEqual(['one', 'two']);
	expect([thin(true, ''), thin(false, ''), fat(thin(true, ''))].map((bytes) => isMachO(bytes.toString('latin1')))).toEqual([true, true, true]);
});

test('a section of another name, and another kind of file, give nothing', () => {
	expect(texts(thin(true, 'one', '__ASSAY', '__other'))).toEqual([]);
	expect(texts(thin(true, 'one', '__DATA', '__order_map'))).toEqual([]);
	expect(texts(Buffer.from('\x7fELF'))).toEqual([]);
	expect(texts(Buffer.alloc(0))).toEqual([]);
	// A class file of Java: its version is where a file of several architectures counts them.
	expect([Buffer.from('cafebabe00000034', 'hex'), Buffer.from('7f454c46', 'hex')].map((bytes) => isMachO(bytes.toString('latin1')))).toEqual([false, false]);
});

test('damaged files give what there is, or nothing', () => {
	const whole = fat(thin(true, 'one'), thin(false, 'two'));
	fc.assert(
		fc.property(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), (end, at, value) => {
			const bytes = Buffer.from(whole);
			bytes[at] = value;
			for (const text of texts(bytes.subarray(0, end))) {
				expect(text.length).toBeLessThanOrEqual(whole.length);
			}
		}),
	);
});
