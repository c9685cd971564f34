/** The documentation: examples `$ npx assay …` print what stands below them today, and links lead somewhere. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from './run-assay.js';

const root = path.resolve(import.meta.dirname, '..');

/** Columns of the terminals that examples are copied from; null: a file or a pipe. */
const WIDTHS = [null, 80, 100, 120];

/** Their recordings are not in the repository, they need a JVM or another tool, or they ask what is installed here. */
const NOT_HERE = new Set([
	'assay diff r1 m1 --repeat-a r2 --repeat-a r3 --repeat-b m2 --repeat-b m3',
	'assay doctor rec.jfr',
	'assay doctor -- java -cp classes Main',
	'assay lab problems --java /usr/lib/jvm/java-17-openjdk-amd64 -- -XX:+UseSerialGC',
	'assay record -o run1 --jdk /usr/lib/jvm/temurin-25-jdk-amd64 -- java -cp . HotLoop 2000',
	'assay order measure --runs 3 -- node --version',
	`assay order run --program src/redis-server --runs 60 -w '"$PROGRAM" --version' -- make -j2 MALLOC=libc`,
	'assay report h2.jfr',
	"assay report examples/hot --json | jq '.result.compilations[0] | {handle, method, percent}'",
]);

const PAGES = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...markdownIn('docs')];

function markdownIn(folder: string): string[] {
	return fs
		.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.md'))
		.map((name) => path.join(folder, name));
}

interface Example {
	readonly page: string;
	readonly command: string;
	/** What follows `assay`. */
	readonly argv: readonly string[];
	/** From the root of the project. */
	readonly folder: string;
	/** Lines; `…` alone stands for any lines, at the end of one for any rest. */
	readonly shown: readonly string[];
}

function examplesOf(page: string): Example[] {
	const text = fs.readFileSync(path.join(root, page), 'utf8');
	return [...text.matchAll(/^```(?:text)?\n((?:\$ [\s\S]*?))^```$/gm)].flatMap(([, block = '']) => {
		let folder = '.';
		return block.split(/^(?=\$ )/m).flatMap((part): Example[] => {
			const [first = '', ...shown] = part.trimEnd().split('\n');
			const words = /^\$ (?:cd (\S+)(?: && |$))?(?:npx (assay .*))?$/.exec(first);
			if (words === null) {
				throw new Error(`${page}: cannot be run: ${first}`);
			}
			const [, cd, command] = words;
			folder = cd ?? folder;
			return command === undefined ? [] : [{ page, command, folder, argv: wordsOf(command).slice(1), shown }];
		});
	});
}

function wordsOf(command: string): string[] {
	return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** The lines of an example that are not printed, in this order. */
function missingIn(shown: readonly string[], printed: readonly string[]): string[] {
	const missing: string[] = [];
	let at = 0;
	let mayPass = false;
	for (const line of shown) {
		if (line.trim() === '…') {
			mayPass = true;
			continue;
		}
		const isThis = (one: string): boolean => one.trimEnd() === line || (line.endsWith('…') && one.startsWith(line.slice(0, -1).trimEnd()));
		const found = printed.findIndex((one, i) => i >= at && isThis(one));
		if (found < 0 || (found > at && !mayPass)) {
			missing.push(line);
		} else {
			at = found + 1;
			mayPass = false;
		}
	}
	return missing;
}

const examples = PAGES.flatMap(examplesOf);
const runnable = examples.filter(({ command }) => !NOT_HERE.has(command));

/** What an example writes goes here, beside links to the recordings. */
let written = '';

beforeAll(() => {
	written = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-documented-'));
});

afterAll(() => {
	fs.rmSync(written, { recursive: true, force: true });
});

/** Where an example is run: in the project, or, if it writes, in a new folder that looks like it. */
function placeOf({ argv, folder }: Example): string {
	const original = path.join(root, folder);
	if (!argv.includes('-o')) {
		return original;
	}
	const place = fs.mkdtempSync(path.join(written, 'example-'));
	for (const name of fs.readdirSync(original)) {
		fs.symlinkSync(path.join(original, name), path.join(place, name));
	}
	return place;
}

test.each(runnable)('$page: $command', async (example) => {
	const { argv, shown } = example;
	const folder = placeOf(example);
	let fewest = shown;
	for (const columns of WIDTHS) {
		const terminal = columns === null ? {} : { isTerminal: true, hasColour: false, columns };
		const { stdout, stderr } = await runAssay(argv, folder, terminal);
		const missing = missingIn(shown, `${stdout}${stderr}`.split('\n'));
		fewest = missing.length < fewest.length || columns === null ? missing : fewest;
		if (missing.length === 0) {
			break;
		}
	}
	expect(fewest).toEqual([]);
});

test('what is left out is there', () => {
	expect([...NOT_HERE].filter((one) => !examples.some(({ command }) => command === one))).toEqual([]);
});

/** `## How good is it?` → `how-good-is-it`, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
	const text = fs.readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
	return new Set(
		[...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
			title
				.toLowerCase()
				.replace(/[^\p{L}\p{N} _-]/gu, '')
				.replaceAll(' ', '-'),
		),
	);
}

test.each(PAGES)('links of %s', (page) => {
	const text = fs.readFileSync(path.join(root, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
	const dead = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
		if (/^https?:/.test(link)) {
			return [];
		}
		const [file = '', anchor] = link.split('#');
		const target = file === '' ? path.join(root, page) : path.join(root, path.dirname(page), file);
		return fs.existsSync(target) && (anchor === undefined || anchorsOf(target).has(anchor)) ? [] : [link];
	});
	expect(dead).toEqual([]);
});
