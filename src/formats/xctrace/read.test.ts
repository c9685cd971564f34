import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isXctraceTable, readXctraceTable } from './read.js';

function read(xml: string): ReturnType<typeof readXctraceTable> {
	return readXctraceTable(memorySource('table.xml', Buffer.from(xml)));
}

const ROW = `<row><sample-time id="1" fmt="00:00.001">1000000</sample-time><weight id="2" fmt="1.00 ms">1000000</weight>
<tagged-backtrace id="3"><backtrace id="4"><frame id="5" name="f &amp; g" addr="0x1001"><binary id="6" name="libx.dylib"/></frame><frame id="7" name="main" addr="0x2001"><binary ref="6"/></frame></backtrace></tagged-backtrace></row>`;

test('references stand for earlier elements, addresses are one too high', () => {
	const { samples, problems } = read(
		`<?xml version="1.0"?><trace-query-result><node>${ROW}
<row><sample-time id="8">2000000</sample-time><weight ref="2"/><tagged-backtrace ref="3"/></row>
<row><sample-time id="9">3000000</sample-time><weight ref="2"/><backtrace id="10"><frame ref="7"/></backtrace></row>
<row><sample-time ref="9"/><weight ref="2"/><backtrace id="11"><frame id="12" name="0x3000" addr="0x3001"/></backtrace></row>
</node></trace-query-result>`,
	);
	expect(problems).toEqual([]);
	expect([...samples.timeSeconds]).toEqual([0.001, 0.002, 0.003, 0.003]);
	expect([...samples.address]).toEqual([0x1000n, 0x1000n, 0x2000n, 0x3000n]);
	expect([...samples.place].map((place) => samples.places[place])).toEqual([
		{ symbol: 'f & g', library: 'libx.dylib' },
		{ symbol: 'f & g', library: 'libx.dylib' },
		{ symbol: 'main', library: 'libx.dylib' },
		{ symbol: null, library: null },
	]);
	expect(samples.events).toEqual(['sampled_pc']);
});

test('up to Xcode 14.2 backtraces are a text and lists of addresses, which are referred to alone and with them', () => {
	const row = (id: number, backtrace: string): string => `<row><sample-time id="${id}">${id}</sample-time><process ref="4"/>${backtrace}</row>`;
	const { samples, problems } = read(
		`<trace-query-result>${[
			row(
				1,
				'<backtrace id="2" fmt="mach_msg2_trap ← (8 other frames)"><process ref="4"/><text-addresses id="3" fmt="frag 5">4096 8192</text-addresses><process ref="4"/><text-addresses id="6" fmt="frag 7">12288 0</text-addresses></backtrace>',
			),
			row(
				8,
				'<backtrace id="9" fmt="0x7000 ← (1 other frames)"><text-addresses id="10" fmt="frag 11">28672</text-addresses><text-addresses ref="6"/></backtrace>',
			),
			row(12, '<backtrace ref="2"/>'),
			row(
				13,
				'<backtrace id="14" fmt="free ← (1 other frames)"><process ref="4"/><text-addresses ref="6"/><text-addresses id="15">20480</text-addresses></backtrace>',
			),
		].join('')}</trace-query-result>`,
	);
	expect(problems).toEqual([]);
	expect([...samples.address]).toEqual([0x1000n, 0x7000n, 0x1000n, 0x3000n]);
	expect([...samples.place].map((place) => samples.places[place])).toEqual([
		{ symbol: 'mach_msg2_trap', library: '[unknown]' },
		{ symbol: null, library: null },
		{ symbol: 'mach_msg2_trap', library: '[unknown]' },
		{ symbol: 'free', library: '[unknown]' },
	]);
});

test('rows without an address are counted, a broken end is a problem', () => {
	const { samples, problems } = read(`<trace-query-result>${ROW}<row><sample-time id="20">7</sample-time><sentinel/></row><row><sample-`);
	expect(samples.length).toBe(1);
	expect(problems).toMatchObject([
		{ severity: 'error', file: 'table.xml' },
		{ severity: 'warning', message: '1 samples have no time or no address' },
	]);
	expect(isXctraceTable('<?xml version="1.0"?>\n<trace-query-result>')).toBe(true);
});
