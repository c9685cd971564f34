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

/** A row with one frame, or what is given instead of it. */
const row = (frame: string, time = '<sample-time id="1">1000</sample-time>'): string => `<row>${time}<backtrace id="4">${frame}</backtrace></row>`;
const table = (...rows: string[]) => {
	const { samples, problems } = read(`<trace-query-result>${rows.join('')}</trace-query-result>`);
	return {
		addresses: [...samples.address],
		places: [...samples.place].map((place) => samples.places[place]),
		times: [...samples.timeSeconds],
		problems: problems.map(({ message }) => message),
	};
};
const lost = (count: number) => ({ addresses: [], problems: [`${count} samples have no time or no address`] });

test.each([
	['0x1001', 0x1000n],
	['0xFFFFFF8000000001', -0x8000000000n],
	['4097', 0x1000n],
	['18446743523953737729', -0x8000000000n],
])('the address %s', (addr, address) => {
	expect(table(row(`<frame id="5" name="f" addr="${addr}"/>`))).toMatchObject({ addresses: [address], problems: [] });
});

test.each(['1', '0x1', '0', 'x', '12x', 'x12', '0x', '0x12345678123456781'])('the address %s is none', (addr) => {
	expect(table(row(`<frame id="5" name="f" addr="${addr}"/>`))).toMatchObject(lost(1));
});

test('rows without a time, without a frame, and frames that were not there', () => {
	const frame = '<frame id="5" name="f" addr="0x1001"/>';
	expect(table(row(frame, ''), row(''), row('<frame ref="99"/>'), row('<frame id="6" name="f"/>'), row(frame, '<sample-time ref="99"/>'))).toMatchObject(
		lost(5),
	);
});

test('what stands outside of rows is of none; elements there can be referred to', () => {
	const outside =
		'<sample-time ref="1"/><backtrace id="7" fmt="x"/><frame id="5" name="g" addr="0x2001"><binary id="6" name="lib"/></frame><text-addresses id="8">5</text-addresses>';
	expect(table(outside, row('<frame ref="5"/>'))).toEqual({ addresses: [0x2000n], places: [{ symbol: 'g', library: 'lib' }], times: [1e-6], problems: [] });
	expect(table(row('<frame id="5" name="g" addr="0x2001"/>'), '<binary id="6" name="late"/>', row('<frame ref="5"/>'))).toMatchObject({
		places: [
			{ symbol: null, library: null },
			{ symbol: null, library: null },
		],
	});
});

test('the innermost frame counts; a backtrace within another, and one that is referred to by its kind', () => {
	const frames = '<frame id="5" name="f" addr="0x1001"><binary id="6" name="lib"/></frame><frame id="7" name="g" addr="0x2001"><binary ref="6"/></frame>';
	const tagged = (inner: string, id: number): string =>
		`<row><sample-time id="${id}">1</sample-time><tagged-backtrace id="${id + 1}">${inner}</tagged-backtrace></row>`;
	const again = (kind: string, id: number): string => `<row><sample-time ref="10"/><${kind} ref="${id}"/></row>`;
	expect(
		table(tagged(`<backtrace id="20">${frames}</backtrace>`, 10), again('tagged-backtrace', 11), again('backtrace', 20), again('backtrace', 11)),
	).toMatchObject({
		addresses: [0x1000n, 0x1000n, 0x1000n],
		problems: ['1 samples have no time or no address'],
	});
});

test.each([
	['4096 8192', 0x1000n],
	['  4096,8192', 0x1000n],
	['18446743523953737728', -0x8000000000n],
	['x4096', null],
	['4096x', null],
	['', null],
	['0 4096', null],
])('the list of addresses %j', (list, address) => {
	const backtrace = `<row><sample-time id="1">1000</sample-time><backtrace id="2" fmt="f ← (1 other frames)"><text-addresses id="3">${list}</text-addresses></backtrace></row>`;
	expect(table(backtrace)).toMatchObject(address === null ? lost(1) : { addresses: [address], places: [{ symbol: 'f', library: '[unknown]' }] });
});

test('without a name, or with an address for it, the place is not known', () => {
	const backtrace = (fmt: string): string =>
		`<row><sample-time id="1">1</sample-time><backtrace id="2"${fmt}><text-addresses id="3">4096</text-addresses></backtrace></row>`;
	const nowhere = { symbol: null, library: null };
	expect(table(backtrace(''), backtrace(' fmt=""'), backtrace(' fmt="0x1000"'), backtrace(' fmt=" f "')).places).toEqual([
		nowhere,
		nowhere,
		nowhere,
		{ symbol: 'f', library: '[unknown]' },
	]);
});

test('errors of the XML end it', () => {
	const { samples, problems } = read(`<trace-query-result>${ROW}<a></b>${ROW}`);
	expect(samples.length).toBe(1);
	expect(problems).toEqual([
		{ severity: 'error', file: 'table.xml', message: expect.stringMatching(/^the XML is not well-formed: ./), action: 'what stands before is read' },
	]);
	expect(isXctraceTable('<table>')).toBe(false);
});
