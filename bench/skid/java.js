/** Loops of Java with one slow operation each, on every JDK found: C2's code as HotSpot prints it in hexadecimal, disassembled by objdump. */
import fs from 'node:fs';
import path from 'node:path';
import { moveSkid } from '../../dist/index.js';
import { count, disassemble, instructions, run, sample } from './measure.js';

/** Loops of Loops.java, and what the line of the slow operation looks like. */
const LOOPS = {
	idiv: /^idiv/,
	irem: /^idiv/,
	sqrt: /sqrtsd/,
	divide: /divsd/,
	arrayChase: /^mov.*\(%r.*,%r.*,4\),%/,
	listChase: /^mov.*\(%r.*\),%/,
	getAndAdd: /^lock (xadd|add)/,
	compareAndSet: /^lock cmpxchg/,
	volatileStore: /^(lock addl|xchg)/,
	fullFence: /^(lock addl|mfence)/,
	onSpinWait: /^pause/,
};

/**
 * @typedef {object} JavaLoop
 * @property {string} jdk version
 * @property {string} name
 * @property {RegExp} expected what the slow instruction looks like; unrolled loops have copies of it
 * @property {import('./measure.js').Instructions} code of the compilation with most samples
 * @property {Float64Array} seen
 * @property {Float64Array} analysed
 */

/** @param {string} folder @param {import('./measure.js').Options} options @param {string} only @param {(loop: JavaLoop) => void} sink */
export async function measureJava(folder, options, only, sink) {
	for (const [home, version] of findJdks()) {
		for (const [name, expected] of Object.entries(LOOPS).filter(([name]) => `java_${name}`.includes(only))) {
			const output = path.join(folder, 'java.txt');
			const flags = ['-XX:+UnlockDiagnosticVMOptions', '-XX:-TieredCompilation', `-XX:CompileCommand=print,Loops::${name}`];
			const program = [path.join(import.meta.dirname, 'Loops.java'), name, String(options.seconds + 0.5)];
			const addresses = await sample([path.join(home, 'bin', 'java'), ...flags, ...program], options, folder, output);
			const loops = compilations(fs.readFileSync(output, 'latin1')).map((piece) => {
				const code = disassemblePiece(piece, folder);
				const seen = count(code, addresses);
				return { jdk: version, name, expected, code, seen, analysed: moveSkid(code, seen, piece.entries).analysed };
			});
			if (loops.length === 0) {
				throw new Error(`${home} printed no code of ${name}`);
			}
			sink(loops.reduce((most, loop) => (total(loop.seen) > total(most.seen) ? loop : most)));
		}
	}
}

/** JAVA_HOME, the PATH's, and those in /usr/lib/jvm; each once. @returns {Map<string, string>} home to version */
function findJdks() {
	const system = '/usr/lib/jvm';
	const inPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'java'));
	const candidates = [
		...[process.env.JAVA_HOME ?? ''],
		...inPath.filter((file) => fs.existsSync(file)).map((file) => path.resolve(fs.realpathSync(file), '..', '..')),
		...(fs.existsSync(system) ? fs.readdirSync(system).map((name) => path.join(system, name)) : []),
	];
	/** @type {Map<string, string>} */
	const found = new Map();
	for (const home of candidates.filter((folder) => fs.existsSync(path.join(folder, 'bin', 'javac')))) {
		const release = path.join(home, 'release');
		const version = fs.existsSync(release) ? /^JAVA_VERSION="(.*)"/m.exec(fs.readFileSync(release, 'utf8'))?.[1] : undefined;
		found.set(fs.realpathSync(home), version ?? 'unknown');
	}
	return found;
}

/**
 * @typedef {object} Piece
 * @property {number} start
 * @property {Buffer} bytes
 * @property {number[]} entries
 */

/**
 * What stands between `[MachCode]` and `[/MachCode]`: lines `  0x00007fb46511d100: e86b 30f6 | 0366 6666`, comments with a semicolon, and
 * marks of entries, which belong to the next address.
 * @param {string} output @returns {Piece[]}
 */
function compilations(output) {
	return [...output.matchAll(/^\[MachCode\]\n([\s\S]*?)^\[\/MachCode\]/gm)].map(([, text]) => {
		/** @type {{ address: number, bytes: Buffer }[]} */
		const parts = [];
		/** @type {number[]} */
		const entries = [];
		let isEntry = false;
		for (const line of text.split('\n')) {
			const [, address, hexadecimal] = /^ {2}0x([0-9a-f]+): ((?:[0-9a-f]+ (?:\| )?)+)$/.exec(`${line.trimEnd()} `) ?? [];
			isEntry ||= /^\[(Verified )?Entry Point\]|^\[(Exception|Deopt).*Handler/.test(line);
			if (address !== undefined) {
				parts.push({ address: Number.parseInt(address, 16), bytes: Buffer.from(hexadecimal.replace(/[ |]/g, ''), 'hex') });
				if (isEntry) {
					entries.push(Number.parseInt(address, 16));
				}
				isEntry = false;
			}
		}
		const start = parts[0].address;
		const last = parts[parts.length - 1];
		const bytes = Buffer.alloc(last.address + last.bytes.length - start, 0xf4);
		for (const part of parts) {
			part.bytes.copy(bytes, part.address - start);
		}
		return { start, bytes, entries };
	});
}

/** @param {Piece} piece @param {string} folder */
function disassemblePiece({ start, bytes }, folder) {
	const file = path.join(folder, 'code.bin');
	fs.writeFileSync(file, bytes);
	const listing = run('objdump', ['-D', '-b', 'binary', '-m', 'i386:x86-64', `--adjust-vma=0x${start.toString(16)}`, '--no-show-raw-insn', file]);
	return instructions(disassemble(listing), start, start + bytes.length);
}

/** @param {Float64Array} weights */
function total(weights) {
	return weights.reduce((sum, weight) => sum + weight, 0);
}
