import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { readLateInlines } from './late-inlines.js';
import { scanCode } from './scan.js';

const HEAD = "<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='77' time_ms='1700000000123'>\n";
const task = (attributes: string, body: string): string =>
	`<task ${attributes} method='a.B f ()V' stamp='0.1'>\n<type id='9' name='void'/>\n<klass id='1' name='a.B' flags='1'/>\n<klass id='2' name='java.lang.Object'/>\n` +
	`<method id='3' holder='1' name='f' return='9' bytes='20'/>\n<method id='4' holder='1' name='&lt;init&gt;'/>\n<method id='5' holder='2' name='equals'/>\n${body}<task_done success='1'/>\n</task>\n`;
const LATE =
	"<late_inline method='5'  inline_id='0'>\n<jvms bci='7' method='4'/>\n<jvms bci='2' method='3'/>\n</late_inline>\n<phase name='x' stamp='1'>\n</phase>\n";
const LOG = `${HEAD}${task("compile_id='1'", '')}${task("compile_id='2' compile_kind='osr'", LATE + LATE.replace("'7'", "'9'"))}${task("compile_id='3'", LATE)}`;
const PLACE = [
	{ method: 'a.B.<init>', bci: 7 },
	{ method: 'a.B.f', bci: 2 },
];

function placesOf(text: string) {
	const source = textSource(text, 'hotspot.log');
	const log = scanCode(source);
	return (compileId: string | null) => readLateInlines(source, log, compileId);
}

test('calls that C2 inlined late, by compilation', () => {
	const places = placesOf(LOG);
	expect(places('2%')).toEqual([PLACE, [{ method: 'a.B.<init>', bci: 9 }, PLACE[1]]]);
	expect(places('3')).toEqual([PLACE]);
	expect(['1', '2', '4', null].map(places)).toEqual([[], [], [], []]);
});

test('in a log behind columns, and in one that was cut', () => {
	const indented = LOG.replace(/^/gm, '          ');
	expect(placesOf(indented)('3')).toEqual([PLACE]);
	const cut = placesOf(LOG.slice(0, LOG.lastIndexOf('<phase')));
	expect(cut('3')).toEqual([PLACE]);
	expect(placesOf(`${HEAD}${LATE}${task("compile_id='1'", '')}`)('1')).toEqual([]);
	expect(placesOf(HEAD + task("compile_id='1'", LATE.replace("method='4'", "method='77'")))('1')).toEqual([[{ method: '', bci: 7 }, PLACE[1]]]);
});

test('of intrinsics that C2 expands late the last one before it goes on: what the others make is described rightly as their call', () => {
	const intrinsic = (bci: number): string => LATE.replace("'7'", `'${bci}'`).replace(/<phase.*/s, () => "<intrinsic id='_VectorTernaryOp' nodes='21'/>\n");
	const loops = "<loop_tree>\n<loop idx='9' >\n</loop>\n</loop_tree>\n";
	const bcisOf = (body: string): (number | undefined)[] => placesOf(HEAD + task("compile_id='1'", body))('1').map(([leaf]) => leaf?.bci);
	expect(bcisOf(intrinsic(1) + intrinsic(2) + intrinsic(3))).toEqual([3]);
	expect(bcisOf(intrinsic(1) + loops + intrinsic(2) + intrinsic(3) + loops + intrinsic(4))).toEqual([1, 3, 4]);
	expect(bcisOf(intrinsic(1) + "<phase name='incrementalInline_igvn' stamp='1'>\n</phase>\n" + intrinsic(2))).toEqual([1, 2]);
	// An inlined method has frames of its own: its call describes nothing, wherever it was inlined.
	expect(bcisOf(LATE + intrinsic(1) + LATE.replace("'7'", "'8'") + intrinsic(2) + loops)).toEqual([7, 8, 2]);
	expect(bcisOf(LATE.replace('<phase', '<parse method="5"/>\n<phase') + "<intrinsic id='_min' nodes='3'/>\n" + LATE.replace("'7'", "'8'"))).toEqual([7, 8]);
});
