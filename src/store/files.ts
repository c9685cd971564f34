/**
 * Where the files of a store are: `STORE/<table>/dt=YYYY-MM-DD/<run>.parquet`, and `<hash>.many.parquet` with the runs of a day that `assay compact` put together. Hidden
 * names are files that are being written, which engines leave alone. Nothing else belongs to a store: what else is there is told, and not read.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Problem } from '../model/problem.js';
import { DAY_COLUMN, STORE_TABLES, type StoreTableName } from './schema.js';

export interface StoreFile {
	readonly table: StoreTableName;
	/** `2026-01-31` */
	readonly day: string;
	readonly filePath: string;
	/** Relative to the store. */
	readonly name: string;
	/** 16 hexadecimal digits; null: it holds several runs. */
	readonly run: string | null;
	readonly sizeBytes: number;
}

export interface StoreListing {
	readonly folder: string;
	/** As the user called it. */
	readonly name: string;
	readonly files: readonly StoreFile[];
	/** What is there and not read. */
	readonly problems: readonly Problem[];
}

const DAY = /^dt=(\d{4}-\d{2}-\d{2})$/;
const FILE = /^([0-9a-f]{16})(\.many)?\.parquet$/;

/**
 * `from`, `to`: days, both inclusive. A folder that is not there is an empty store. Files of several runs count once those of `runs` are there, which are written last; a
 * run that they have counts there, and not in files of its own.
 */
export function listStore(folder: string, name: string, from = '', to = '9999-12-31'): StoreListing {
	const { files, problems } = listAll(folder, name, from, to);
	const finished = new Set(files.flatMap(({ table, day, run, filePath }) => (table === 'runs' && run === null ? [`${day} ${path.basename(filePath)}`] : [])));
	const together = new Map<string, Set<string>>();
	const runsOf = (day: string): Set<string> => {
		const known = together.get(day) ?? runsTogether(folder, day);
		together.set(day, known);
		return known;
	};
	const counted = files.filter(({ day, run, filePath }) => (run === null ? finished.has(`${day} ${path.basename(filePath)}`) : !runsOf(day).has(run)));
	return { folder, name, files: counted, problems };
}

/** The runs of a day that lie together in files of several: their names, a line each, beside the file of `runs`. */
export function runsTogether(folder: string, day: string): Set<string> {
	const runs = path.join(folder, 'runs', `${DAY_COLUMN}=${day}`);
	const lists = fs.existsSync(runs) ? fs.readdirSync(runs).filter((name) => LIST.test(name)) : [];
	return new Set(
		lists
			.filter((list) => fs.existsSync(path.join(runs, `${LIST.exec(list)![1]}.many.parquet`)))
			.flatMap((list) => fs.readFileSync(path.join(runs, list), 'utf8').split('\n'))
			.filter((run) => run !== ''),
	);
}

const LIST = /^_([0-9a-f]{16})\.runs$/;

/** Of a file of several runs, which they are; null where no list tells. */
export function runsInFile({ filePath, day }: StoreFile, folder: string): readonly string[] | null {
	const list = runsListOf(folder, day, path.basename(filePath).slice(0, RUN_DIGITS));
	return fs.existsSync(list) ? fs.readFileSync(list, 'utf8').split('\n') : null;
}

const RUN_DIGITS = 16;

/** Whether a folder is a store: it has the table of runs, with a day in it. What cannot be looked into is none. */
export function isStore(folder: string): boolean {
	try {
		return entriesOf(path.join(folder, 'runs')).some(({ name }) => DAY.test(name));
	} catch {
		return false;
	}
}

/** Of files that hold several runs: the same in each table of a day. */
export function manyFileOf(folder: string, table: StoreTableName, day: string, name: string): string {
	return fileOf(folder, table, day, `${name}.many`);
}

export function runsListOf(folder: string, day: string, name: string): string {
	return path.join(folder, 'runs', `${DAY_COLUMN}=${day}`, `_${name}.runs`);
}

function listAll(folder: string, name: string, from: string, to: string): Pick<StoreListing, 'files' | 'problems'> {
	const files: StoreFile[] = [];
	const problems: Problem[] = [];
	const strange = (file: string): void => {
		problems.push({ severity: 'warning', file: `${name}/${file}`, message: 'is no file of a store', action: 'it is not read' });
	};
	for (const entry of entriesOf(folder)) {
		const table = STORE_TABLES.find((one) => one === entry.name);
		if (table === undefined || !entry.isDirectory()) {
			strange(entry.name);
			continue;
		}
		for (const dayEntry of entriesOf(path.join(folder, table))) {
			const day = DAY.exec(dayEntry.name)?.[1];
			if (day === undefined || !dayEntry.isDirectory()) {
				strange(`${table}/${dayEntry.name}`);
			} else if (day >= from && day <= to) {
				for (const { name: fileName } of entriesOf(path.join(folder, table, dayEntry.name))) {
					const found = FILE.exec(fileName);
					const relative = `${table}/${dayEntry.name}/${fileName}`;
					const filePath = path.join(folder, relative);
					if (found === null) {
						strange(relative);
						continue;
					}
					const checked = checkParquet(filePath);
					if (checked.why !== null) {
						problems.push({ severity: 'error', file: `${name}/${relative}`, message: checked.why, action: 'it is not read: collect its run again' });
						continue;
					}
					files.push({ table, day, filePath, name: relative, run: found[2] === undefined ? found[1]! : null, sizeBytes: checked.sizeBytes });
				}
			}
		}
	}
	return { files, problems };
}

function entriesOf(folder: string): fs.Dirent[] {
	let entries: fs.Dirent[];
	try {
		entries = fs.readdirSync(folder, { withFileTypes: true });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
			return [];
		}
		throw error;
	}
	return entries.filter((entry) => !/^[._]/.test(entry.name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

const MAGIC = 'PAR1';

/** A file that was cut, or is none, shows it at its ends: magic, length of the footer, magic. */
function checkParquet(filePath: string): { readonly sizeBytes: number; readonly why: string | null } {
	const descriptor = fs.openSync(filePath, 'r');
	try {
		const sizeBytes = fs.fstatSync(descriptor).size;
		const ends = Buffer.alloc(12);
		if (sizeBytes < 12) {
			return { sizeBytes, why: 'is too short for a Parquet file' };
		}
		fs.readSync(descriptor, ends, 0, 4, 0);
		fs.readSync(descriptor, ends, 4, 8, sizeBytes - 8);
		const isWhole = ends.toString('latin1', 0, 4) === MAGIC && ends.toString('latin1', 8, 12) === MAGIC && ends.readUInt32LE(4) <= sizeBytes - 12;
		return { sizeBytes, why: isWhole ? null : 'is no whole Parquet file' };
	} finally {
		fs.closeSync(descriptor);
	}
}

export function fileOf(folder: string, table: StoreTableName, day: string, name: string): string {
	return path.join(folder, table, `${DAY_COLUMN}=${day}`, `${name}.parquet`);
}

/** A hidden name beside a file. */
export function hiddenBeside(filePath: string): string {
	return path.join(path.dirname(filePath), `.${path.basename(filePath)}.${process.pid}.${randomBytes(4).toString('hex')}`);
}

/** Writes beside, and renames when all is written; whatever goes wrong leaves nothing. Throws errors of the operating system. */
export function writeWhole(filePath: string, write: (piece: (bytes: Uint8Array) => void) => void): void {
	fs.mkdirSync(path.dirname(filePath), { recursive: true });
	const beside = hiddenBeside(filePath);
	const descriptor = fs.openSync(beside, 'wx', 0o666);
	let isOpen = true;
	try {
		write((bytes) => {
			for (let written = 0; written < bytes.length; ) {
				written += fs.writeSync(descriptor, bytes, written);
			}
		});
		isOpen = false;
		fs.closeSync(descriptor);
		fs.renameSync(beside, filePath);
	} catch (error) {
		if (isOpen) {
			fs.closeSync(descriptor);
		}
		fs.rmSync(beside, { force: true });
		throw error;
	}
}
