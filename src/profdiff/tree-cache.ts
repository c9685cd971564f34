/**
 * The trees that were read last. A hot compilation is compared with every hot compilation of the same method, and cut into
 * fragments: without this it would be read each time.
 */
import type { CompilationTrees, LoggedCompilation } from '../model/compilation.js';

/** Records of so many bytes together; their trees take some five times as much memory. */
const DEFAULT_MAX_BYTES = 12 << 20;

/** Keeps trees that were read, up to so many bytes of their records. */
export class TreeCache {
	private readonly trees = new Map<LoggedCompilation, CompilationTrees>();
	private bytes = 0;
	private readonly maxBytes: number;

	constructor(maxBytes = DEFAULT_MAX_BYTES) {
		this.maxBytes = maxBytes;
	}

	/** The trees of a compilation, read at most once while they are kept. */
	read(compilation: LoggedCompilation): CompilationTrees {
		const known = this.trees.get(compilation);
		if (known !== undefined) {
			// Back to the end: the first one is the one not used for longest.
			this.trees.delete(compilation);
			this.trees.set(compilation, known);
			return known;
		}
		const read = compilation.readTrees();
		this.trees.set(compilation, read);
		this.bytes += compilation.sizeBytes;
		for (const oldest of this.trees.keys()) {
			if (this.bytes <= this.maxBytes || oldest === compilation) {
				break;
			}
			this.trees.delete(oldest);
			this.bytes -= oldest.sizeBytes;
		}
		return read;
	}
}
