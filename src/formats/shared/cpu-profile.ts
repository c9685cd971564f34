/**
 * CPU profiles of V8 (chromedevtools.github.io/devtools-protocol/tot/Profiler#type-Profile): nodes of a tree of calls, and which of them was sampled, with the
 * microseconds since the sample before. Node's --cpu-prof and Chrome write files of it; traces have it in pieces.
 */
import type { NamedStacks } from './named-stacks.js';

/** A node as it is written, before it is checked. */
export interface WrittenNode {
	readonly id?: unknown;
	/** In pieces of traces. */
	readonly parent?: unknown;
	/** In whole files. */
	readonly children?: unknown;
	readonly callFrame?: { readonly functionName?: unknown; readonly url?: unknown } | null;
}

/** What V8 samples where no function of the program runs. */
const IDLE = '(idle)';
const ROOT = '(root)';
/** Deeper ones are a loop. */
const MOST_FRAMES = 100_000;

/** Nodes as they come, and the stacks of the sampled ones. */
export class CallNodes {
	private readonly stacks: NamedStacks;
	private readonly event: number;
	private readonly thread: number;
	private readonly parents = new Map<number, number>();
	private readonly nodes = new Map<number, WrittenNode>();
	private readonly known = new Map<number, { readonly stack: number; readonly isIdle: boolean } | null>();

	constructor(stacks: NamedStacks, thread: number) {
		this.stacks = stacks;
		this.thread = thread;
		this.event = stacks.event({ event: 'samples', words: 'samples of V8' });
	}

	add(written: unknown): void {
		for (const one of Array.isArray(written) ? (written as (WrittenNode | null)[]) : []) {
			if (typeof one?.id !== 'number') {
				continue;
			}
			this.nodes.set(one.id, one);
			if (typeof one.parent === 'number') {
				this.parents.set(one.id, one.parent);
			}
			for (const child of Array.isArray(one.children) ? (one.children as unknown[]) : []) {
				if (typeof child === 'number') {
					this.parents.set(child, one.id);
				}
			}
		}
	}

	/** `timeUs`: since the profile's start. False: there is no such node. */
	sample(id: unknown, timeUs: number): boolean {
		let known = this.known.get(id as number);
		if (known === undefined) {
			known = this.stackOf(id as number);
			this.known.set(id as number, known);
		}
		if (known === null) {
			return false;
		}
		this.stacks.add({ event: this.event, thread: this.thread, stack: known.stack, weight: 1, timeNs: timeUs * 1000, isWaiting: known.isIdle });
		return true;
	}

	private stackOf(id: number): { stack: number; isIdle: boolean } | null {
		const frames: number[] = [];
		const innermost = nameOf(this.nodes.get(id));
		let steps = 0;
		for (let at: number | undefined = id; at !== undefined; at = this.parents.get(at)) {
			const node = this.nodes.get(at);
			if (node === undefined || ++steps > MOST_FRAMES) {
				return null;
			}
			const name = nameOf(node);
			const url = node.callFrame?.url;
			if (name !== ROOT) {
				frames.push(this.stacks.frame({ name, file: typeof url === 'string' && url !== '' ? scriptOf(url) : null }));
			}
		}
		return { stack: this.stacks.stack(frames), isIdle: innermost === IDLE };
	}
}

function nameOf(node: WrittenNode | undefined): string {
	const name = node?.callFrame?.functionName;
	return typeof name === 'string' && name !== '' ? name : '(anonymous)';
}

/** Scripts without a file name at the end of their address are scripts still. */
function scriptOf(url: string): string {
	return /\.[cm]?[jt]sx?$/.test(url) ? url : `${url}.js`;
}
