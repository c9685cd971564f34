/** Each finding of a report names a command that proves it: what the finding states stands in what the command prints, or is the sum of rows there. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AssayRun, runAssay, runAssayOnce } from '../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-proofs-'));
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

interface Finding {
	readonly kind: string;
	readonly text: string;
	readonly place: { readonly method: string; readonly line: number | null; readonly bci: number | null } | null;
	readonly command: string | null;
}

/** A number as it is printed: what it may be, rounded. */
interface Printed {
	readonly value: number;
	/** Half a unit of its last digit. */
	readonly half: number;
}

describe.each([
	'examples/b',
	'examples/hot',
	'examples/memory',
	'examples/order',
	'fixtures/agent/callers/jdk17',
	'fixtures/agent/callers/jdk25',
	'fixtures/agent/jdk17',
	'fixtures/agent/jdk25',
	'fixtures/agent/native/jdk17',
	'fixtures/agent/native/jdk25',
	'fixtures/agent/interpreted/jdk17',
	'fixtures/agent/interpreted/jdk25',
	'fixtures/joined/graal',
	'fixtures/joined/jdk25-c2',
	'fixtures/jvm/async-profiler',
	'fixtures/jvm/compilation/jdk17',
	'fixtures/jvm/ledger/jdk17',
	'fixtures/jvm/ledger/jdk25',
	'fixtures/jvm/memstat/events',
	'fixtures/jvm/memstat/huge',
	'fixtures/jvm/memstat/javac',
	'fixtures/jvm/memstat/stop',
	'fixtures/jvm/perfasm/dtrace-jdk25-stringConcatHash',
	'fixtures/jvm/perfasm/jdk17-virtualDispatch-intel',
	'fixtures/jvm/perfasm/jdk25-mapGet',
	'fixtures/jvm/perfasm/jdk25-mapGet-2events',
	'fixtures/jvm/perfasm/jdk25-mapGet-skipasm',
	'fixtures/jvm/perfasm/xctrace-derived-jdk25-mapGet',
	'fixtures/jvm/safepoint/jdk25-serial',
	'fixtures/jvm/safepoint/never-reached',
	'fixtures/jvm/safepoint/strip-jdk17-serial',
	'fixtures/jvm/safepoint/strip-jdk25-g1',
	'fixtures/jvm/safepoint/ttsp/jdk17-nopoll',
	'fixtures/jvm/safepoint/ttsp/jdk25-nopoll',
	'fixtures/jvm/safepoint/ttsp/jdk25-serial',
	'fixtures/jvm/safepoint/ttsp-sampled/jdk25-stall',
	'fixtures/orderfile',
	'fixtures/agent/jdk25 --class java',
	'fixtures/joined/jdk25-c2 --thread main',
])('%s', (line) => {
	test('each finding is proved by its command', async () => {
		const [recording = '', ...options] = line.split(' ');
		const name = path.join(root, recording);
		const report = await runAssay(['report', name, '--json', '--no-index', ...options], folder);
		const findings: Finding[] = JSON.parse(report.stdout).result.findings;
		expect(findings.length).toBeGreaterThan(0);
		for (const finding of findings) {
			expect(finding.command, finding.text).not.toBeNull();
			const output = await outputOf(finding.command ?? '', name);
			const printed = [...numbersIn(output), ...sumsOf(finding.kind, output)];
			const isThere = ({ value, half }: Printed): boolean => printed.some((one) => Math.abs(one.value - value) <= half + one.half + 1e-9);
			const missing = numbersIn(statementOf(finding)).filter((number) => !isThere(number));
			expect(
				missing.map(({ value }) => value),
				`${finding.text}\n${finding.command}\n${output}`,
			).toEqual([]);
			const { place } = finding;
			if (place !== null) {
				expect(output).toContain(place.method.split('.').slice(-1)[0]);
				// A call is shown by its bytecode, of which the line is.
				const isLine = place.line === null || output.includes(`:${place.line}`) || (place.bci !== null && new RegExp(`@ ?${place.bci}\\b`).test(output));
				expect(isLine, `line ${place.line}\n${finding.text}\n${output}`).toBe(true);
			}
		}
	});
});

/** Of one command after the other, without the name of the recording and what a report says of its findings. */
async function outputOf(line: string, name: string): Promise<string> {
	const parts: string[] = [];
	for (const command of line.split(' && ')) {
		const words = [...command.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(([word, quoted]) => quoted?.replaceAll("'\\''", "'") ?? word);
		expect(words[0]).toBe('assay');
		const { exit, stdout, stderr }: AssayRun = await runAssayOnce(words.slice(1), folder);
		expect(exit, `${command}\n${stderr}`).toBe(0);
		parts.push(stdout.replaceAll(name, '').replace(/^Findings\n(?:.+\n)*/m, ''));
	}
	return parts.join('\n');
}

/** Without flags, what to do about it, the line of a place, and names. */
function statementOf({ text, place }: Finding): string {
	const [first = ''] = text.replace(/\[[^\]]*\]/g, '').split(/\. (?=[A-Z])/);
	return first
		.replace(place?.line == null ? '' : `(line ${place.line})`, '')
		.replace(/\S*[\w$]\.[a-z<]\S*/gi, ' ')
		.replace(/-XX:\S+/g, ' ');
}

function numbersIn(text: string): Printed[] {
	return [...text.matchAll(/(?<![\w.$/])\d[\d,]*(?:\.\d+)?(?=[MK%]|[^\w$]|$)/g)].map(([word]) => printedNumber(word));
}

function printedNumber(word: string): Printed {
	const plain = word.replaceAll(',', '');
	const decimals = plain.split('.')[1]?.length ?? 0;
	return { value: Number(plain), half: 0.5 * 10 ** -decimals };
}

function sumOf(rows: readonly Printed[]): Printed {
	return { value: rows.reduce((total, { value }) => total + value, 0), half: rows.reduce((total, { half }) => total + half, 0) };
}

/** What adds up from rows of what commands print. */
function sumsOf(kind: string, output: string): Printed[] {
	const matched = (pattern: RegExp): Printed[] => [...output.matchAll(pattern)].map(([, word = '']) => printedNumber(word));
	const result: Printed[] = [];
	// `── r1  c18  HotLoop.divide  c2, level 4  84.62 %`: regions of a compilation, a method, all but the first compilation's.
	const regions = [...output.matchAll(/^── r\d+ +(c\d+%?) +(\S+) .* ([\d.]+) %/gm)].map(([, handle, method, share = '']) => ({
		handle,
		method,
		share: printedNumber(share),
	}));
	for (const region of regions) {
		result.push(sumOf(regions.filter(({ handle }) => handle === region.handle).map(({ share }) => share)));
		result.push(sumOf(regions.filter(({ method }) => method === region.method).map(({ share }) => share)));
		result.push(sumOf(regions.filter(({ method }) => method !== region.method).map(({ share }) => share)));
		result.push(sumOf(regions.filter(({ handle }) => handle !== region.handle).map(({ share }) => share)));
	}
	result.push(sumOf(regions.map(({ share }) => share)));
	if (kind === 'compilers') {
		result.push(sumOf(matched(/^ +([\d.]+) %(?: +[\d.]+ %)? +(?:C1|C2|JVMCI)$/gm)));
	}
	if (kind === 'not-inlined') {
		for (const [line] of output.matchAll(/receivers: .*/g)) {
			result.push(sumOf(numbersIn(line).slice(0, 2)), { value: numbersIn(line).length, half: 0 });
		}
	}
	if (kind === 'deoptimization-storm' || kind === 'recompiled-hot') {
		result.push({ value: matched(/^ {2}c(\d+)%? +c[12]|^ {2}c(\d+)%? +jvmci/gm).length, half: 0 });
	}
	if (kind === 'biased') {
		// A distance of 0.58 is 58 %.
		const distances = matched(/^.*unbiased.*predicted +([\d.]+)/gm);
		const expected = matched(/^.*unbiased.*predicted +[\d.]+ +\(?([\d.]+)/gm);
		result.push(...[...distances, ...expected].map(({ value, half }) => ({ value: 100 * value, half: 100 * half })));
	}
	if (kind === 'deoptimization-storm') {
		result.push(sumOf(matched(/deoptimized (\d+) times?/g)), sumOf(matched(/, compiled for (\d+) ms, installed/g)));
	}
	if (kind === 'compile-queue') {
		result.push(sumOf(matched(/^ +([\d.]+) % +c1, level \d$/gm)));
	}
	if (kind === 'stub-work' || kind === 'not-inlined') {
		result.push(sumOf(matched(/^── r\d+ .* runtime stub +([\d.]+) %$/gm)));
	}
	if (kind === 'slow-instructions') {
		result.push(sumOf(matched(/ ([\d.]+) % [^%]*? [\da-f]+ {2}\w*div\b/g)));
	}
	return result;
}
