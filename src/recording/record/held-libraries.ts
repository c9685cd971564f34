/**
 * Libraries that a program unpacks into a temporary folder and deletes again, when it ends (RocksDB, zstd, SQLite) or as soon as they are loaded (Netty): while it runs they are
 * held open, so that their symbols can be read when it has ended. Of those that are deleted already the kernel gives the mapped file to the superuser alone.
 */
import fs from 'node:fs';

/** Of the program and what it starts. */
const MOST_PROCESSES = 64;
const MOST_FILES = 256;
/** The first looks follow each other sooner: programs load libraries when they start. */
const FIRST_MS = 250;
const LAST_MS = 2000;
const DELETED = ' (deleted)';
/** `7f1c…-7f1d… r-xp 00000000 fe:00 1234   /tmp/librocksdbjni1.so` */
const MAPPING = /^([0-9a-f]+-[0-9a-f]+) ..x. \S+ \S+ (\d+) +(\/.*)$/gm;

export class HeldLibraries {
	private readonly processId: number;
	/** Descriptors by the path that the program mapped. */
	private readonly held = new Map<string, number>();
	/** Mappings that were looked at, with their inodes. */
	private readonly seen = new Set<string>();
	private timer: NodeJS.Timeout | null = null;

	constructor(processId: number) {
		this.processId = processId;
	}

	/** Looks now and then from now on. */
	watch(): void {
		const next = (delayMs: number): void => {
			this.timer = setTimeout(() => {
				this.look();
				next(Math.min(2 * delayMs, LAST_MS));
			}, delayMs);
			this.timer.unref();
		};
		next(FIRST_MS);
	}

	/** At what the program and its children have mapped. */
	look(): void {
		const processes = [this.processId];
		for (let at = 0; at < processes.length && processes.length < MOST_PROCESSES; at++) {
			this.lookAt(processes[at]!);
			processes.push(...childrenOf(processes[at]!));
		}
	}

	private lookAt(processId: number): void {
		for (const [, range = '', inode = '', mapped = ''] of readOrEmpty(`/proc/${processId}/maps`).matchAll(MAPPING)) {
			const isDeleted = mapped.endsWith(DELETED);
			const name = isDeleted ? mapped.slice(0, -DELETED.length) : mapped;
			const key = `${inode} ${name}`;
			if (this.seen.has(key) || this.held.size >= MOST_FILES) {
				continue;
			}
			this.seen.add(key);
			const descriptor = openOf(isDeleted ? `/proc/${processId}/map_files/${range}` : name, inode);
			if (descriptor !== null) {
				this.close(name);
				this.held.set(name, descriptor);
			}
		}
	}

	/** Where files can be opened that the program had mapped, by the paths that they had. Good until {@link end}. */
	get files(): ReadonlyMap<string, string> {
		return new Map(Array.from(this.held, ([name, descriptor]) => [name, `/proc/self/fd/${descriptor}`]));
	}

	/** Looks no more. */
	stop(): void {
		if (this.timer !== null) {
			clearTimeout(this.timer);
		}
	}

	end(): void {
		this.stop();
		for (const name of [...this.held.keys()]) {
			this.close(name);
		}
	}

	private close(name: string): void {
		const descriptor = this.held.get(name);
		if (descriptor !== undefined) {
			fs.closeSync(descriptor);
			this.held.delete(name);
		}
	}
}

/** A regular file with that inode; null: it is not there any more, or not for this user. */
function openOf(file: string, inode: string): number | null {
	try {
		const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
		const stats = fs.fstatSync(descriptor, { bigint: true });
		if (stats.isFile() && String(stats.ino) === inode) {
			return descriptor;
		}
		fs.closeSync(descriptor);
		return null;
	} catch {
		return null;
	}
}

function childrenOf(processId: number): number[] {
	return readOrEmpty(`/proc/${processId}/task/${processId}/children`).split(' ').filter(Boolean).map(Number);
}

/** Processes end while they are looked at. */
function readOrEmpty(file: string): string {
	try {
		return fs.readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}
