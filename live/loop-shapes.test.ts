/**
 * Eight loop shapes under four collectors and three settings, on JDK 17 and 25: what is said of each loop is compared with a plain reading of the printed
 * code, which knows no control flow: jumps backward, polls between their ends, constants before compares.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoopPoll, loopPolls } from '../src/bias/loop-polls.js';
import type { PrintedMethod } from '../src/bias/printed-method.js';
import { Flow, type Instructions } from '../src/model/instructions.js';
import { openEvidence } from '../src/recording/evidence.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const SHAPES = ['constantStep', 'variableStep', 'longIndex', 'whileChange', 'shortIndex', 'down', 'notEqual', 'stepThree'];
const SETTINGS = {
	default: [],
	mined: ['-XX:+UseCountedLoopSafepoints', '-XX:LoopStripMiningIter=1000'],
	never: ['-XX:-UseCountedLoopSafepoints'],
} as const;

let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-shapes-'));
	compileProgram(findJdk(17), 'LoopShapes', folder);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe.each([17, 25])('on JDK %i', (major) => {
	describe.each(['Serial', 'Parallel', 'G1', 'Z'])('with -XX:+Use%sGC', (collector) => {
		test.each(Object.entries(SETTINGS))('%s', async (name, flags) => {
			const hasStrips = name === 'mined' || (name === 'default' && ['G1', 'Z'].includes(collector));
			for (const described of ['+', '-']) {
				const methods = await printedCode(findJdk(major), [`-XX:+Use${collector}GC`, `-XX:${described}DebugNonSafepoints`, ...flags]);
				const seen = methods.map((method) => [method.code.name, mainLoop(method.instructions)] as const);
				const said = methods.map((method, i) => [method.code.name, saidOf(method, seen[i]![1].jump)] as const);
				expect(said).toEqual(seen);
				expect(new Set(seen.map(([method]) => method))).toEqual(new Set(SHAPES.map((shape) => `LoopShapes.${shape}`)));
				expect(seen.some(([, { kind }]) => kind === 'strip-mined')).toBe(hasStrips);
				expect(seen.some(([, { kind }]) => kind === 'counted')).toBe(!hasStrips);
			}
		});
	});
});

/** What C2 made of the eight methods, entered at their beginning. */
async function printedCode(jdk: LiveJdk, flags: readonly string[]): Promise<PrintedMethod[]> {
	const file = path.join(folder, 'printed.txt');
	const ours = ['-Xmx256m', '-XX:CompileCommand=quiet', '-XX:CompileCommand=print,LoopShapes::*', '-XX:CompileCommand=dontinline,LoopShapes::*'];
	const args = ['-XX:+UnlockDiagnosticVMOptions', ...flags, ...ours, '-cp', folder, 'LoopShapes', '300000', '200'];
	fs.writeFileSync(file, execFileSync(jdk.java, args, { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }));
	const evidence = await openEvidence([{ filePath: file, name: file }]);
	const recording = (await evidence.recording())!;
	const code = recording.code.filter(
		({ kind, compiler, osrBci, name }) => kind === 'compilation' && compiler === 'c2' && osrBci === null && !name.endsWith('.main'),
	);
	const printed = await recording.readCode(code);
	evidence.close();
	return [...printed].map(([piece, text]) => ({ code: piece, ...text }));
}

interface Reading {
	/** The jump back, by its number. */
	readonly jump: number;
	/** In the smallest of the loops around that polls. */
	readonly poll: LoopPoll['poll'];
	readonly kind: 'counted' | 'strip-mined' | 'long index' | 'polls';
}

function saidOf(method: PrintedMethod, jump: number): Reading {
	const { poll, kind } = loopPolls(method).find(({ own }) => own.includes(jump))!;
	return { jump, poll, kind: poll === 'iteration' ? 'polls' : (kind as Reading['kind']) };
}

/** The largest of the loops that hold no other and end with their test: unrolling leaves small ones before and after it, and a jump to a test in the middle is none. */
function mainLoop(code: Instructions): Reading {
	const { length, address, flow, target, comments, text } = code;
	const numbers = Array.from({ length }, (_, i) => i);
	const loops = numbers
		// Behind a call it is the way back from a stub.
		.filter((i) => (flow[i] === Flow.Jump || flow[i] === Flow.Branch) && target[i]! < address[i]! && flow[i - 1] !== Flow.Call)
		.map((last) => ({ first: numbers.find((i) => address[i] === target[last])!, last }));
	const holds = (outer: (typeof loops)[number], inner: (typeof loops)[number]): boolean =>
		outer.first <= inner.first && outer.last >= inner.last && outer !== inner;
	const polls = ({ first, last }: (typeof loops)[number]): boolean => numbers.slice(first, last + 1).some((i) => comments[i]!.includes('{poll}'));
	const main = loops
		.filter(({ last }) => flow[last] === Flow.Branch)
		.filter((loop) => !loops.some((other) => holds(loop, other)))
		.sort((a, b) => b.last - b.first - (a.last - a.first))[0]!;
	const jump = main.last;
	if (polls(main)) {
		return { jump, poll: 'iteration', kind: 'polls' };
	}
	const [around] = loops.filter((loop) => holds(loop, main) && polls(loop)).sort((a, b) => a.last - a.first - (b.last - b.first));
	if (around === undefined) {
		return { jump, poll: 'none', kind: 'counted' };
	}
	// A strip is 1000 iterations, times the stride of the unrolled loop.
	const constants = text.flatMap((line) => [...line.matchAll(/\$(0x[0-9a-f]+)/g)].map(([, constant]) => Number(constant)));
	const strides = numbers.slice(main.first, main.last + 1).flatMap((i) => /^(?:add|sub) \$(0x[0-9a-f]+),%\w+$|^(inc|dec) /.exec(text[i]!)?.slice(1, 3) ?? []);
	const isStrip = strides.some((stride) => stride !== undefined && constants.includes(1000 * strideOf(stride)));
	return { jump, poll: 'strip', kind: isStrip ? 'strip-mined' : 'long index' };
}

/** A negative one is written as 32 bits without a sign. */
function strideOf(text: string): number {
	const amount = /^(?:inc|dec)$/.test(text) ? 1 : Number(text);
	return amount > 2 ** 31 ? 2 ** 32 - amount : amount;
}
