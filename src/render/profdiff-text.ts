/**
 * The text of profdiff, byte for byte as Graal's profdiff prints it (JDK-25 level); the explanation at the top is our own.
 */
import { type CallsiteKind, callsiteKind, type InliningNode, inliningChildren, type ReceiverTypeProfile } from '../model/inlining-tree.js';
import { javaFixed } from '../model/java-number.js';
import { type Optimization, type OptimizationNode, optimizationChildren } from '../model/optimization-tree.js';
import { type Position, UNKNOWN_BCI } from '../model/position.js';
import { propertyText } from '../model/property.js';
import type { CompilationUnit, Experiment, ExperimentNumber } from '../profdiff/experiment.js';
import type { ProfdiffOptions } from '../profdiff/options.js';
import {
	type ContextNode,
	contextChildren,
	type DeltaLine,
	type DeltaOperation,
	deltaLines,
	type ExperimentSummary,
	type MethodSection,
	type MethodSide,
	type PairComparison,
	type ProfdiffSink,
	type TreeComparison,
	treeRows,
	type UnitTrees,
} from '../profdiff/results.js';
import type { TextWriter } from './text-writer.js';

const MARKS: Record<DeltaOperation, string> = { identity: '.', relabel: '*', insert: '+', delete: '-' };
const BILLION = 1e9;
const DUPLICATE_PATH = 'Warning: Optimizations cannot be unambiguously attributed (duplicate path)';

/** The block about an experiment at the top of a report. */
export function writeExperimentSummary(writer: TextWriter, summary: ExperimentSummary): void {
	const { experiment } = summary;
	const { profile, kind } = experiment;
	const run = profile?.executionId == null ? '' : ` with execution ID ${profile.executionId}`;
	writer.line(0, `Experiment ${experiment.number}${run}${kind === null ? '' : ` (${kind})`}`);
	writer.line(1, `Collected optimization logs for ${experiment.unitCount} compilation units`);
	if (profile === null) {
		return;
	}
	const share = (period: number): number => (period / profile.totalPeriod) * 100;
	writer.line(1, `Collected proftool data for ${profile.entries.length} compilation units`);
	writer.line(1, `Graal-compiled methods account for ${javaFixed(share(experiment.compiledPeriod), 2)}% of execution`);
	writer.line(1, `${summary.hotUnitCount} hot compilation units account for ${javaFixed(share(summary.hotPeriod), 2)}% of execution`);
	writer.line(1, `${javaFixed(profile.totalPeriod / BILLION, 2)} billion cycles total`);
	writer.line(1, 'Top methods');
	writer.line(2, 'Execution     Cycles  Level      ID  Method');
	for (const entry of summary.topEntries) {
		const cycles = fixed(entry.period / BILLION, 10);
		const level = String(entry.level ?? '').padStart(6);
		const id = (entry.compileId ?? '').padStart(7);
		writer.line(2, `${fixed(share(entry.period), 8)}% ${cycles} ${level} ${id}  ${entry.name}`);
	}
}

/** Writes results as they come. */
export class ProfdiffText implements ProfdiffSink {
	private readonly writer: TextWriter;
	private readonly options: ProfdiffOptions;
	private readonly experiments = new Map<ExperimentNumber, Experiment>();
	private sections = 0;
	/** Depth of the headers of compilations: one deeper in a report, where there is one experiment only. */
	private unitDepth = 1;

	constructor(writer: TextWriter, options: ProfdiffOptions, experiments: readonly Experiment[]) {
		this.writer = writer;
		this.options = options;
		for (const experiment of experiments) {
			this.experiments.set(experiment.number, experiment);
		}
	}

	methodSection(section: MethodSection): void {
		// After the summary, a comparison has an empty line of its own; a report has one before each method.
		if (this.sections++ > 0 || section.sides.length === 1) {
			this.writer.line(0, '');
		}
		const only = section.hotOnlyIn === null ? '' : ` is hot only in experiment ${section.hotOnlyIn.number}`;
		this.writer.line(0, `Method ${section.methodName}${only}`);
		for (const side of section.sides) {
			this.writeCompilationList(side);
		}
		this.unitDepth = section.sides.length === 1 ? 2 : 1;
	}

	unit(unit: CompilationUnit): void {
		this.writer.line(this.unitDepth, this.unitHeader(unit));
	}

	unitTrees(trees: UnitTrees): void {
		const depth = this.unitDepth + 1;
		if (trees.kind === 'context') {
			this.writeContextTree(depth, trees.tree);
			return;
		}
		this.writer.line(depth, 'Inlining tree');
		this.writeInliningTree(depth + 1, trees.trees.inlining);
		this.writer.line(depth, 'Optimization tree');
		this.writeOptimizationTree(depth + 1, trees.trees.optimization);
	}

	pair(left: CompilationUnit, right: CompilationUnit): void {
		this.writer.line(1, `${this.unitHeader(left)} vs`);
		this.writer.line(1, this.unitHeader(right));
	}

	pairComparison(comparison: PairComparison): void {
		if (comparison.kind === 'context') {
			this.writeComparison(2, comparison.context, 'optimization-context trees', null, contextChildren, (depth, line) => {
				this.writeContextDelta(depth, line);
			});
			return;
		}
		this.writeComparison(2, comparison.inlining, 'inlining trees', 'Inlining tree matching', inliningChildren, (depth, line) => {
			this.writeInliningDelta(depth, line.operation, line.left, line.right, line.depth === 0);
		});
		this.writeComparison(2, comparison.optimization, 'optimization trees', 'Optimization tree matching', optimizationChildren, (depth, line) => {
			this.writeOptimizationDelta(depth, line);
		});
	}

	private writeCompilationList(side: MethodSide): void {
		const { experiment, units, hotUnits } = side;
		const { writer } = this;
		const hasProfile = experiment.profile !== null;
		writer.line(1, `In experiment ${experiment.number}`);
		if (units.length === 0) {
			writer.line(2, 'No compilations');
			return;
		}
		writer.line(2, `${units.length} compilations${hasProfile ? ` (${hotUnits.length} of which are hot)` : ''}`);
		writer.line(2, 'Compilations');
		const hot = new Set(hotUnits);
		for (const unit of units) {
			const mark = hasProfile && hot.has(unit) ? ' *hot*' : '';
			writer.line(3, `${unit.compileId.padStart(5)}${multiMethodKey(unit)}${this.consumed(unit)}${mark}`);
			if (unit.fragment !== null) {
				const [root, ...steps] = unit.fragment.path;
				writer.line(3, `  |_ a fragment of ${root?.methodName}`);
				for (const { methodName, bci } of steps) {
					writer.line(3, `${' '.repeat(19)}${methodName}${atBci(bci)}`);
				}
			}
		}
	}

	private unitHeader(unit: CompilationUnit): string {
		const kind = unit.fragment === null ? 'unit' : 'fragment';
		return `Compilation ${kind} ${unit.compileId.padStart(5)}${multiMethodKey(unit)}${this.consumed(unit)} in experiment ${unit.experiment}`;
	}

	private consumed(unit: CompilationUnit): string {
		const experiment = this.experiments.get(unit.experiment);
		if (experiment === undefined || experiment.profile === null) {
			return '';
		}
		const ofCompiled = fixed((unit.period / experiment.compiledPeriod) * 100, 5);
		const ofTotal = fixed((unit.period / experiment.profile.totalPeriod) * 100, 5);
		return ` consumed ${ofCompiled}% of Graal execution, ${ofTotal}% of total`;
	}

	private writeInliningTree(depth: number, root: InliningNode): void {
		for (const { depth: level, node } of treeRows(root, inliningChildren)) {
			this.writeCallsite(depth + level, '', node, callsiteKind(node, level === 0));
		}
	}

	private writeOptimizationTree(depth: number, root: OptimizationNode): void {
		for (const { depth: level, node } of treeRows(root, optimizationChildren)) {
			this.writer.line(depth + level, node.kind === 'phase' ? node.name : this.optimizationText(node, lastBci(node.position)));
		}
	}

	private writeContextTree(depth: number, root: ContextNode): void {
		for (const { depth: level, node } of treeRows(root, contextChildren)) {
			this.writeContextNode(depth + level, '', node);
		}
	}

	/** A node that is on one side only or the only side; `mark` is what stands before it. */
	private writeContextNode(depth: number, mark: string, node: ContextNode): void {
		switch (node.kind) {
			case 'context-root':
				this.writer.line(depth, `${mark}Optimization-context tree`);
				return;
			case 'callsite':
				this.writeCallsite(depth, mark, node.node, node.callsiteKind);
				return;
			case 'context-optimization':
				this.writer.line(depth, mark + this.optimizationText(node.optimization, node.bci));
				return;
			case 'info':
				this.writer.line(depth, mark + DUPLICATE_PATH);
		}
	}

	private writeComparison<Node>(
		depth: number,
		comparison: TreeComparison<Node>,
		what: string,
		heading: string | null,
		childrenOf: (node: Node) => readonly Node[],
		write: (depth: number, line: DeltaLine<Node>) => void,
	): void {
		if (comparison.kind === 'too-big') {
			this.writer.line(depth, `The ${what} are too big to compare`);
			return;
		}
		const treeDepth = heading === null ? depth : depth + 1;
		if (heading !== null) {
			this.writer.line(depth, heading);
		}
		if (comparison.kind === 'no-difference') {
			this.writer.line(treeDepth, 'There are no differences');
			return;
		}
		for (const line of deltaLines(comparison.root, childrenOf)) {
			write(treeDepth + line.depth, line);
		}
	}

	private writeContextDelta(depth: number, line: DeltaLine<ContextNode>): void {
		const { left, right, operation } = line;
		if (left?.kind === 'callsite' && right?.kind === 'callsite') {
			this.writeInliningDelta(depth, operation, left.node, right.node, left.callsiteKind === 'root', [left.callsiteKind, right.callsiteKind]);
			return;
		}
		this.writeContextNode(depth, `${MARKS[operation]} `, (left ?? right) as ContextNode);
	}

	private writeOptimizationDelta(depth: number, line: DeltaLine<OptimizationNode>): void {
		const { left, right, operation } = line;
		const node = (left ?? right) as OptimizationNode;
		const mark = `${MARKS[operation]} `;
		if (operation === 'relabel') {
			this.writer.line(depth, `${mark}${left?.name} -> ${right?.name}`);
		} else if (node.kind === 'phase') {
			this.writer.line(depth, mark + node.name);
		} else {
			this.writer.line(depth, mark + this.optimizationText(node, lastBci(node.position)));
		}
	}

	private writeInliningDelta(
		depth: number,
		operation: DeltaOperation,
		left: InliningNode | null,
		right: InliningNode | null,
		isRoot: boolean,
		kinds?: readonly [CallsiteKind, CallsiteKind],
	): void {
		const mark = `${MARKS[operation]} `;
		if (left === null || right === null) {
			const node = (left ?? right) as InliningNode;
			this.writeCallsite(depth, mark, node, callsiteKind(node, isRoot));
			return;
		}
		const [oldKind, newKind] = kinds ?? [callsiteKind(left, isRoot), callsiteKind(right, isRoot)];
		if (operation === 'relabel') {
			this.writer.line(depth, `${mark}(${oldKind} -> ${newKind}) ${left.methodName ?? 'unknown'} at bci ${left.bci}`);
		} else {
			this.writer.line(depth, `${mark}(${oldKind}) ${left.methodName ?? 'unknown'}${atBci(left.bci)}`);
		}
		const explainsChange = operation === 'relabel' && (oldKind === 'inlined') !== (newKind === 'inlined');
		if (!isRoot && (this.options.inlinerReasoning || explainsChange)) {
			this.writeReasons(depth + 1, left.reasons, ' in experiment 1');
			this.writeReasons(depth + 1, right.reasons, ' in experiment 2');
		}
		this.writeReceiverTypes(depth + 1, left.receiverTypes, ' in experiment 1');
		this.writeReceiverTypes(depth + 1, right.receiverTypes, ' in experiment 2');
	}

	private writeCallsite(depth: number, mark: string, node: InliningNode, kind: CallsiteKind): void {
		this.writer.line(depth, `${mark}(${kind}) ${node.methodName ?? 'unknown'}${atBci(node.bci)}`);
		if (this.options.inlinerReasoning && kind !== 'root') {
			this.writeReasons(depth + 1, node.reasons, '');
		}
		if (node.receiverTypes !== null) {
			this.writeReceiverTypes(depth + 1, node.receiverTypes, '');
		}
	}

	private writeReasons(depth: number, reasons: readonly string[], where: string): void {
		if (reasons.length === 0) {
			this.writer.line(depth, `|_ no inlining decisions${where}`);
		} else if (reasons.length === 1) {
			this.writer.line(depth, `|_ reasoning${where}: ${reasons[0]}`);
		} else {
			this.writer.line(depth, `|_ reasoning${where}`);
			for (const reason of reasons) {
				this.writer.line(depth + 2, reason);
			}
		}
	}

	private writeReceiverTypes(depth: number, profile: ReceiverTypeProfile | null, where: string): void {
		if (profile === null || (profile.mature && profile.types.length === 0)) {
			return;
		}
		this.writer.line(depth, `|_${profile.mature ? '' : ' immature'} receiver-type profile${where}`);
		for (const { probability, typeName, methodName } of profile.types) {
			this.writer.line(depth + 2, `${fixed(probability * 100, 5)}% ${typeName}${methodName === null ? '' : ` -> ${methodName}`}`);
		}
	}

	private optimizationText(optimization: Optimization, bci: number | null): string {
		const { name, event, position, properties } = optimization;
		let text = `${name} ${event}`;
		if (position.bcis.length > 0) {
			text += ` at bci ${this.options.longBci ? longPosition(position) : bci}`;
		}
		if (properties.length > 0) {
			text += ` with {${properties.map(({ key, value }) => `${key}: ${propertyText(value)}`).join(', ')}}`;
		}
		return text;
	}
}

function longPosition(position: Position): string {
	return `{${position.methodNames.map((name, index) => `${name}: ${position.bcis[index]}`).join(', ')}}`;
}

function lastBci(position: Position): number | null {
	return position.bcis[position.bcis.length - 1] ?? null;
}

function multiMethodKey(unit: CompilationUnit): string {
	return unit.multiMethodKey === null ? '' : ` of multi-method ${unit.multiMethodKey}`;
}

function atBci(bci: number): string {
	return bci === UNKNOWN_BCI ? '' : ` at bci ${bci}`;
}

function fixed(value: number, width: number): string {
	return javaFixed(value, 2).padStart(width);
}
