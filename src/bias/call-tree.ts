/** Call trees of several profiles laid over each other: each node with the share that every profile gives it and what it calls. */
import { expectedFromSampling, totalVariation } from '../statistics/distances.js';
import { isMethod } from './method-shares.js';

interface CallTreeNode {
	readonly depth: number;
	/** Holder and name with dots; what is no method, in round brackets. */
	readonly method: string;
	/** By profile: percent of it in the node and what it calls, and in the node alone. */
	readonly percent: readonly number[];
	readonly selfPercent: readonly number[];
}

export interface CallTree {
	/** What columns are of. */
	readonly profiles: readonly string[];
	/** In preorder, of several callees the largest in any profile first. */
	readonly nodes: readonly CallTreeNode[];
	/** Between two profiles: of whole stacks that end in a method. */
	distance(a: number, b: number): { readonly totalVariation: number; readonly expectedFromSampling: number };
}

interface Node {
	readonly name: string;
	readonly callees: Map<string, Node>;
	/** By profile. */
	readonly self: number[];
	readonly all: number[];
}

/** Nodes with a smaller share of every profile, percent, are left out. */
const LEAST_PERCENT = 0.01;

export class CallTreeBuilder {
	private readonly profiles: string[] = [];
	private readonly totals: number[] = [];
	private readonly root = node('');

	/** A further profile; `total`: what is 100 %, null: all that is added. */
	profile(name: string, total: number | null): number {
		this.totals.push(total ?? Number.NaN);
		return this.profiles.push(name) - 1;
	}

	/** `names`: the outermost first. */
	add(profile: number, names: readonly string[], amount: number): void {
		let at = this.root;
		at.all[profile] = (at.all[profile] ?? 0) + amount;
		for (const name of names) {
			let callee = at.callees.get(name);
			if (callee === undefined) {
				callee = node(name);
				at.callees.set(name, callee);
			}
			at = callee;
			at.all[profile] = (at.all[profile] ?? 0) + amount;
		}
		at.self[profile] = (at.self[profile] ?? 0) + amount;
	}

	/** Where a stack that knows more callers than the tree begins in it: the longest inner part that is there from a root on; -1: none. */
	beginning(names: readonly string[]): number {
		for (let from = 0; from < names.length; from++) {
			let at: Node | undefined = this.root;
			for (let i = from; i < names.length && at !== undefined; i++) {
				at = at.callees.get(names[i]!);
			}
			if (at !== undefined) {
				return from;
			}
		}
		return -1;
	}

	build(): CallTree {
		const totals = this.totals.map((total, profile) => (Number.isNaN(total) ? (this.root.all[profile] ?? 0) : total));
		const nodes: CallTreeNode[] = [];
		const percents = (amounts: readonly number[]): number[] => totals.map((total, profile) => (total > 0 ? (100 * (amounts[profile] ?? 0)) / total : 0));
		// Stacks may be deep: no recursion.
		const open = calleesOf(this.root, percents, 0);
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			const { callee, depth, percent } = next;
			nodes.push({ depth, method: callee.name, percent, selfPercent: percents(callee.self) });
			open.push(...calleesOf(callee, percents, depth + 1));
		}
		return {
			profiles: this.profiles,
			nodes,
			distance: (a, b) => {
				const [ofA, ofB] = [this.stacksOf(a), this.stacksOf(b)];
				return { totalVariation: totalVariation(ofA, ofB), expectedFromSampling: expectedFromSampling(ofA, ofB) };
			},
		};
	}

	private stacksOf(profile: number): Map<string, number> {
		const result = new Map<string, number>();
		let count = 0;
		const open = [this.root];
		for (let at = open.pop(); at !== undefined; at = open.pop()) {
			const amount = at.self[profile] ?? 0;
			if (amount > 0 && isMethod(at.name)) {
				result.set(String(count), amount);
			}
			// Every node is numbered, whichever profile has it.
			count++;
			open.push(...at.callees.values());
		}
		return result;
	}
}

function calleesOf({ callees }: Node, percents: (amounts: readonly number[]) => number[], depth: number) {
	return [...callees.values()]
		.map((callee) => ({ callee, depth, percent: percents(callee.all) }))
		.filter(({ percent }) => Math.max(...percent) >= LEAST_PERCENT)
		.sort((a, b) => Math.max(...a.percent) - Math.max(...b.percent) || (a.callee.name < b.callee.name ? 1 : -1));
}

function node(name: string): Node {
	return { name, callees: new Map(), self: [], all: [] };
}
