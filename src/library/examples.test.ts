/** The examples of TSDoc comments and of docs/library.md, run as a user of the package runs them, types checked; what stands behind → is what they print. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..', '..');

interface Example {
	readonly name: string;
	readonly code: string;
}

const exported: Record<string, unknown> = await import('../index.js');
const library = fs.readFileSync(path.join(root, 'docs', 'library.md'), 'utf8');
const examples: readonly Example[] = [
	...['commands.ts', 'recording.ts', 'store.ts'].flatMap((file) => tsdocExamples(fs.readFileSync(path.join(import.meta.dirname, file), 'utf8'))),
	...[...library.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = ''], i) => ({ name: `docs/library.md, ${i + 1}`, code })),
];

function tsdocExamples(text: string): Example[] {
	return [...text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\nexport async function (\w+)/g)].map(([, comment = '', name = '']) => {
		const [, code] = /@example\n([\s\S]*)$/.exec(comment) ?? [];
		if (code === undefined) {
			throw new Error(`${name} has no @example`);
		}
		const body = code.replace(/^\s*\* ?/gm, '');
		const names = Object.keys(exported).filter((one) => new RegExp(`\\b${one}\\(`).test(body));
		return { name, code: `import { ${names.join(', ')} } from 'assay';\n${body}` };
	});
}

let folder = '';
/** What each example printed, line by line, or how it failed. */
let outputs: readonly (readonly string[])[] = [];

/** One process for all of them: most of the time of one would be that of starting it. */
const RUNNER = `import util from 'node:util';
const outputs = [];
const log = console.log;
for (let i = 0; i < Number(process.argv[2]); i++) {
	const lines = [];
	console.log = (...values) => lines.push(...util.format(...values).split('\\n'));
	try {
		await import('./example-' + i + '.mjs');
	} catch (error) {
		lines.push('failed: ' + error.stack);
	}
	outputs.push(lines);
}
log(JSON.stringify(outputs));
`;

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-examples-'));
	fs.mkdirSync(path.join(folder, 'node_modules', '@types'), { recursive: true });
	fs.symlinkSync(root, path.join(folder, 'node_modules', 'assay'));
	fs.symlinkSync(path.join(root, 'node_modules', '@types', 'node'), path.join(folder, 'node_modules', '@types', 'node'));
	fs.symlinkSync(path.join(root, 'examples'), path.join(folder, 'examples'));
	fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
	fs.writeFileSync(path.join(folder, 'run.mjs'), RUNNER);
	for (const [i, { code }] of examples.entries()) {
		fs.writeFileSync(path.join(folder, `example-${i}.mjs`), code);
	}
	const printed = execFileSync(process.execPath, ['run.mjs', String(examples.length)], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
	outputs = JSON.parse(printed) as string[][];
}, 300_000);

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test.each(examples.map((example, i) => ({ ...example, i })))('the example of $name prints what it says', ({ code, i }) => {
	const promised = [...code.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1]!);
	expect(outputs[i]?.filter((line) => line.startsWith('failed: '))).toEqual([]);
	expect(outputs[i]).toEqual(expect.arrayContaining(promised));
});

test('the examples of functions have the types that they need', () => {
	const files = examples
		.filter(({ name }) => !name.startsWith('docs/'))
		.map(({ code }, i) => {
			const file = path.join(folder, `typed-${i}.mts`);
			fs.writeFileSync(file, code.replace(/(\w)\.find\(([^\n]*?)\)\.(\w+)/g, '$1.find($2)?.$3'));
			return file;
		});
	const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
	const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--ignoreConfig'];
	expect(runTsc(tsc, [...flags, ...files])).toBe('');
});

function runTsc(tsc: string, args: readonly string[]): string {
	try {
		return execFileSync(tsc, args, { cwd: folder, encoding: 'utf8' });
	} catch (error) {
		return (error as { stdout: string }).stdout;
	}
}

test('every function that can be imported is used in some example', () => {
	const all = examples.map(({ code }) => code).join('\n');
	expect(Object.keys(exported).filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
});

test('every name that can be imported is explained where it is declared', () => {
	const index = fs.readFileSync(path.join(root, 'src', 'index.ts'), 'utf8');
	const missing: string[] = [];
	for (const [, names, names2, from = ''] of index.matchAll(/^export (?:type )?(?:\{([^}]*)\}|(\*)) from '(\.[^']+)'/gms)) {
		const text = fs.readFileSync(path.resolve(root, 'src', from.replace(/\.js$/, '.ts')), 'utf8');
		const declared =
			names2 === undefined
				? (names ?? '').split(',').map((name) =>
						name
							.trim()
							.replace(/^type /, '')
							.replace(/ as \w+$/, ''),
					)
				: namesIn(text);
		for (const name of declared.filter((one) => one !== '')) {
			if (!new RegExp(`\\*/\\nexport (?:declare )?(?:async )?(?:abstract )?(?:function\\*?|interface|type|const|class) ${name}\\b`).test(text)) {
				missing.push(`${from} ${name}`);
			}
		}
	}
	expect(missing).toEqual([]);
});

function namesIn(text: string): string[] {
	return [...text.matchAll(/^export (?:async )?(?:function|interface|type|const|class) (\w+)/gm)].map((match) => match[1]!);
}

test('types of results are those of docs/schema', () => {
	execFileSync(process.execPath, [path.join(root, 'scripts', 'result-types.js'), '--check'], { stdio: 'ignore' });
});
