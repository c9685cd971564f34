/** Builds the loops, runs them under perf and reads back what was sampled: real tools all the way, assay's own readers and analysis. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Flow, flowOfInstruction, moveSkid, openEvidence } from '../../dist/index.js';
import { assembly } from './programs.js';

/** @typedef {import('../../dist/types/index.js').Instructions} Instructions */

/** @typedef {{ seconds: number, frequency: number, event: string, cpu: number }} Options */

/**
 * @typedef {object} Measured
 * @property {import('./programs.js').Program} program
 * @property {Instructions} code
 * @property {number} slow position of the slow instruction, -1 where there is none
 * @property {number} twin position of one that is as slow, -1 where there is none
 * @property {Float64Array} seen samples on each instruction
 * @property {Float64Array} analysed
 */

/** @param {readonly import('./programs.js').Program[]} all @param {string} folder @returns {string} the executable */
export function build(all, folder) {
	const source = path.join(folder, 'kernels.s');
	const executable = path.join(folder, 'skid');
	fs.writeFileSync(source, assembly(all));
	run('gcc', ['-O2', '-no-pie', '-o', executable, path.join(import.meta.dirname, 'driver.c'), source]);
	return executable;
}

/**
 * @param {string} executable
 * @param {readonly import('./programs.js').Program[]} all
 * @param {Options} options
 * @param {(measured: Measured) => void} sink
 */
export async function measure(executable, all, options, sink) {
	const symbols = symbolsOf(executable);
	const whole = disassemble(run('objdump', ['-d', '--no-show-raw-insn', executable]));
	for (const program of all) {
		const addresses = await sample([executable, program.name, String(options.seconds)], options, path.dirname(executable));
		const code = instructions(whole, addressOf(symbols, program.name), addressOf(symbols, `end_${program.name}`));
		const seen = count(code, addresses);
		sink({
			program,
			code,
			slow: code.address.indexOf(symbols.get(`slow_${program.name}`) ?? -1),
			twin: code.address.indexOf(symbols.get(`twin_${program.name}`) ?? -1),
			seen,
			analysed: moveSkid(code, seen).analysed,
		});
	}
}

/**
 * Runs a command under perf, on one core.
 * @param {readonly string[]} command @param {Options} options @param {string} folder for temporary files @param {string} [output] file for what it prints
 * @returns {Promise<BigInt64Array>} addresses of the samples
 */
export async function sample(command, { frequency, event, cpu }, folder, output = '/dev/null') {
	const data = path.join(folder, 'perf.data');
	const text = path.join(folder, 'perf.txt');
	fs.writeFileSync(output, run('taskset', ['-c', String(cpu), 'perf', 'record', '-q', '-e', event, '-F', String(frequency), '-o', data, ...command]));
	fs.writeFileSync(text, run('perf', ['script', '-i', data, '--fields', 'time,event,ip,sym,dso']));
	return (await openEvidence([{ filePath: text, name: 'perf.txt' }])).samples.address;
}

/** Samples on each instruction; the rest is left out. @param {Instructions} code @param {BigInt64Array} addresses */
export function count(code, addresses) {
	const seen = new Float64Array(code.length);
	const positions = new Map(Array.from(code.address, (address, i) => [BigInt(address), i]));
	for (const address of addresses) {
		const at = positions.get(address);
		if (at !== undefined) {
			seen[at]++;
		}
	}
	return seen;
}

/** Positions that control flow can reach next, by text. @param {Instructions} code @param {number} at */
export function successors({ flow, target, address, length }, at) {
	const next = flow[at] === Flow.Jump || flow[at] === Flow.Return || at + 1 === length ? [] : [at + 1];
	const jump = address.indexOf(target[at]);
	return jump < 0 ? next : [...next, jump];
}

/** @param {string} executable @returns {Map<string, number>} */
function symbolsOf(executable) {
	const lines = run('nm', [executable]).split('\n');
	return new Map(lines.map((line) => [line.slice(19), Number.parseInt(line.slice(0, 16), 16)]));
}

/** @param {Map<string, number>} symbols @param {string} name */
function addressOf(symbols, name) {
	const address = symbols.get(name);
	if (address === undefined) {
		throw new Error(`${name} is not in the executable`);
	}
	return address;
}

/** Lines of objdump, `  401126:\tpush   %rbp`. @param {string} listing @returns {{ address: number, text: string }[]} */
export function disassemble(listing) {
	return [...listing.matchAll(/^ +([0-9a-f]+):\t(.*)$/gm)].map(([, address, text]) => ({
		address: Number.parseInt(address, 16),
		text: text.replace(/\s+/g, ' ').replace(/ # .*/, '').trim(),
	}));
}

/** @param {readonly { address: number, text: string }[]} lines @param {number} start @param {number} end @returns {Instructions} */
export function instructions(lines, start, end) {
	const inside = lines.filter(({ address }) => address >= start && address < end);
	const flows = inside.map(({ text }) => flowOfInstruction(text));
	return {
		length: inside.length,
		address: Float64Array.from(inside, ({ address }) => address),
		end: Float64Array.from(inside, (_, i) => inside[i + 1]?.address ?? end),
		text: inside.map(({ text }) => text),
		flow: Uint8Array.from(flows, ({ flow }) => flow),
		target: Float64Array.from(flows, ({ target }) => target),
		position: new Int32Array(inside.length).fill(-1),
		positions: [],
		comments: inside.map(() => []),
	};
}

/** @param {string} command @param {readonly string[]} args @returns {string} */
export function run(command, args) {
	return execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
}
