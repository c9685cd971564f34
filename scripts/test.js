/**
 * `npm test`: the build, types, lint, unused code, then all tests. What does not wait for another runs beside it, one queue a core; a check prints when it is
 * done. Arguments go to Vitest.
 *
 *   --fast   types and the tests of the quick files only
 */
import { spawn } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const isFast = process.argv.includes('--fast');
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== '--fast');

/** @typedef {readonly [command: string, ...args: string[]]} Step */
/** @type {Step[]} */
const types = [
	['tsc', '-p', 'tsconfig.json'],
	['tsc', '-p', 'web/tsconfig.json'],
];
/** What runs one after the other: knip looks at what the build made. @type {Step[][]} */
const queues = isFast
	? [[['node', 'scripts/build.js', '--no-declarations']], types]
	: [
			[['node', 'scripts/build.js'], ['knip']],
			[...types, ['biome', 'check', '--error-on-warnings', '.']],
		];

const passed = await Promise.all(
	queues.map(async (queue) => {
		let allPassed = true;
		for (const step of queue) {
			allPassed = (await run(step, true)) && allPassed;
		}
		return allPassed;
	}),
);
const config = isFast ? ['-c', 'vitest.fast.config.ts'] : [];
process.exitCode = passed.every(Boolean) && (await run(['vitest', 'run', ...config, ...vitestArguments], false)) ? 0 : 1;

/**
 * Whether the step ended well. What steps print that run beside each other is kept until their end.
 * @param {Step} step @param {boolean} isKept @returns {Promise<boolean>}
 */
function run([command, ...args], isKept) {
	const env = { ...process.env, PATH: `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}` };
	const child = spawn(command === 'node' ? process.execPath : command, args, {
		cwd: root,
		env,
		stdio: ['inherit', ...(isKept ? ['pipe', 'pipe'] : ['inherit', 'inherit'])],
	});
	/** @type {Buffer[]} */
	const printed = [];
	child.stdout?.on('data', (bytes) => printed.push(bytes));
	child.stderr?.on('data', (bytes) => printed.push(bytes));
	return new Promise((resolve) => {
		const end = (/** @type {boolean} */ hasPassed, /** @type {string} */ why) => {
			process.stdout.write(Buffer.concat(printed));
			if (!hasPassed) {
				console.error(`${[command, ...args].join(' ')}: ${why}`);
			}
			resolve(hasPassed);
		};
		child.on('error', (error) => end(false, error.message));
		child.on('close', (code, signal) => end(code === 0, signal ?? `exit status ${code}`));
	});
}
