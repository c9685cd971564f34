/** The result of `assay profdiff`: docs/schema/profdiff.json. Trees are lists of rows in preorder with a depth: no reader has to recurse. */
import { type CallsiteKind, callsiteKind, type InliningNode, inliningChildren } from '../model/inlining-tree.js';
import { splitMethodName } from '../model/method-name.js';
import { type Optimization, type OptimizationNode, optimizationChildren } from '../model/optimization-tree.js';
import { type PropertyValue, propertyText } from '../model/property.js';
import type { CompilationUnit } from '../profdiff/experiment.js';
import {
	type ContextNode,
	contextChildren,
	type DeltaOperation,
	deltaLines,
	type ExperimentSummary,
	type MethodSection,
	type PairComparison,
	type TreeComparison,
	treeRows,
} from '../profdiff/results.js';
import type { ReportPart } from '../profdiff/run.js';
import type { ProfdiffResult } from './results.js';
import type { Frozen } from './streamed.js';

/** `experiments`, an item each. */
export function experimentRow({ experiment, hotUnitCount, hotPeriod }: ExperimentSummary) {
	const { profile } = experiment;
	return {
		number: experiment.number,
		kind: experiment.kind,
		compilations: experiment.unitCount,
		compiledPeriod: experiment.compiledPeriod,
		hotCompilations: hotUnitCount,
		hotPeriod,
		profile: profile && { kind: profile.kind, executionId: profile.executionId, entries: profile.entries.length, totalPeriod: profile.totalPeriod },
	};
}

/** `methods`, an item each; `shown` may be made while it is taken. */
export function sectionRow({ methodName, hotOnlyIn, sides }: MethodSection, shown: Iterable<ShownJson>) {
	const { method, signature } = splitMethodName(methodName);
	return {
		method,
		signature,
		hotOnlyIn: hotOnlyIn?.number ?? null,
		sides: sides.map(({ experiment, units, hotUnits }) => {
			const hot = new Set(hotUnits);
			return { experiment: experiment.number, compilations: units.map((unit) => unitRow(unit, hot.has(unit))) };
		}),
		shown,
	};
}

type ShownJson = Frozen<ProfdiffResult['methods'][number]['shown'][number]>;

/** An item of `shown`. Throws an InputError where trees cannot be read. */
export function partRow(part: ReportPart): ShownJson {
	return part.kind === 'pair' ? pairRow(part) : compilationRow(part);
}

function compilationRow({ unit, experiment, trees: read }: Extract<ReportPart, { kind: 'compilation' }>): ShownJson {
	const trees = read();
	return {
		kind: 'compilation',
		experiment: experiment.number,
		compileId: unit.compileId,
		...(trees.kind === 'context'
			? { contextTree: rows(trees.tree, contextChildren, contextRow) }
			: { inliningTree: inliningRows(trees.trees.inlining), optimizationTree: optimizationRows(trees.trees.optimization) }),
	};
}

function pairRow({ left, right, compare }: Extract<ReportPart, { kind: 'pair' }>): ShownJson {
	const comparison = compare();
	return {
		kind: 'pair',
		left: left.compileId,
		right: right.compileId,
		...(comparison.kind === 'context'
			? { context: comparisonRows(comparison.context, contextChildren, contextRow) }
			: {
					inlining: comparisonRows(comparison.inlining, inliningChildren, inliningRow),
					optimization: comparisonRows(comparison.optimization, optimizationChildren, optimizationRow),
				}),
	};
}

/** An inlining tree as rows in preorder. */
export function inliningRows(root: InliningNode): InliningRowJson[] {
	return rows(root, inliningChildren, inliningRow);
}

/** An optimization tree as rows in preorder. */
export function optimizationRows(root: OptimizationNode): OptimizationRowJson[] {
	return rows(root, optimizationChildren, optimizationRow);
}

export type InliningRowJson = { readonly depth: number } & ReturnType<typeof callsiteRow>;
export type OptimizationRowJson =
	| { readonly depth: number; readonly kind: 'phase'; readonly name: string }
	| ({ readonly depth: number } & ReturnType<typeof optimizationFields>);

/** Two compilations compared, each kind of tree by itself. */
export interface TreePairJson {
	readonly inlining: ComparedTreeJson<InliningRowJson>;
	readonly optimization: ComparedTreeJson<OptimizationRowJson>;
}

interface ComparedTreeJson<Row> {
	readonly outcome: 'difference' | 'no-difference' | 'too-big';
	/** A row that differs has both of its sides, any other its own fields. */
	readonly nodes: readonly ComparedRowJson<Row>[];
}

export type ComparedRowJson<Row> = { readonly depth: number; readonly operation: 'identity' | 'relabel' | 'insert' | 'delete' } & (
	| { readonly before: Row; readonly after: Row }
	| (Row & { readonly before?: undefined })
);

export function treePairRows(comparison: Extract<PairComparison, { kind: 'separate' }>): TreePairJson {
	return {
		inlining: comparisonRows(comparison.inlining, inliningChildren, inliningRow),
		optimization: comparisonRows(comparison.optimization, optimizationChildren, optimizationRow),
	} as unknown as TreePairJson;
}

type RowOf<Node, Row> = (node: Node, depth: number) => Row;

function rows<Node, Row extends object>(
	root: Node,
	childrenOf: (node: Node) => readonly Node[],
	rowOf: RowOf<Node, Row>,
): ({ readonly depth: number } & Row)[] {
	return Array.from(treeRows(root, childrenOf), ({ depth, node }) => ({ depth, ...rowOf(node, depth) }));
}

function comparisonRows<Node, Row extends object>(
	comparison: TreeComparison<Node>,
	childrenOf: (node: Node) => readonly Node[],
	rowOf: RowOf<Node, Row>,
): { readonly outcome: TreeComparison<Node>['kind']; readonly nodes: readonly WrittenRow<Row>[] } {
	if (comparison.kind !== 'difference') {
		return { outcome: comparison.kind, nodes: [] };
	}
	const nodes = Array.from(deltaLines(comparison.root, childrenOf), ({ depth, operation, left, right }): WrittenRow<Row> => {
		const before = left === null ? null : rowOf(left, depth);
		const after = right === null ? null : rowOf(right, depth);
		// The same callsite may have been decided for other reasons.
		if (before !== null && after !== null && JSON.stringify(before) !== JSON.stringify(after)) {
			return { depth, operation, before, after };
		}
		return { depth, operation, ...(before ?? after) };
	});
	return { outcome: 'difference', nodes };
}

/** As {@link ComparedRowJson}; which of the two a row is, is told by its fields. */
interface WrittenRow<Row> {
	readonly depth: number;
	readonly operation: DeltaOperation;
	readonly before?: Row;
	readonly after?: Row;
}

function unitRow(unit: CompilationUnit, hot: boolean) {
	const { compileId, multiMethodKey, period, fragment } = unit;
	return {
		compileId,
		multiMethodKey,
		period,
		hot,
		fragment: fragment && { of: fragment.parent.compileId, path: fragment.path.map(({ methodName, bci }) => ({ ...nameFields(methodName), bci })) },
	};
}

function inliningRow(node: InliningNode, depth: number) {
	return callsiteRow(node, callsiteKind(node, depth === 0));
}

function callsiteRow(node: InliningNode, kind: CallsiteKind) {
	return { kind, ...nameFields(node.methodName), bci: node.bci, ...sourceOf(node), reasons: node.reasons, receiverTypes: node.receiverTypes };
}

function sourceOf({ source }: { readonly source?: string }): { readonly source?: string } {
	return source === undefined ? {} : { source };
}

function nameFields(methodName: string | null): { readonly method: string | null; readonly signature: string | null } {
	return methodName === null ? { method: null, signature: null } : splitMethodName(methodName);
}

function optimizationRow(node: OptimizationNode) {
	return node.kind === 'phase' ? { kind: 'phase' as const, name: node.name } : optimizationFields(node);
}

function optimizationFields(node: Optimization) {
	const { name, event, position, properties } = node;
	return {
		kind: 'optimization' as const,
		name,
		event,
		position: position.methodNames.map((methodName, index) => ({ ...splitMethodName(methodName), bci: position.bcis[index]! })),
		...sourceOf(node),
		properties: properties.map(({ key, value }) => ({ key, value: jsonValue(value) })),
	};
}

function contextRow(node: ContextNode) {
	switch (node.kind) {
		case 'context-root':
			return { kind: 'context-root' as const };
		case 'callsite':
			return callsiteRow(node.node, node.callsiteKind);
		case 'context-optimization':
			return optimizationFields(node.optimization);
		case 'info':
			return { kind: 'info' as const, text: node.text };
	}
}

/** Integers past 2^53 and nested values become text: few readers of JSON would get them back exactly. */
function jsonValue(value: PropertyValue): string | number | boolean | null {
	if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
		return value;
	}
	return typeof value === 'object' && 'double' in value ? value.double : propertyText(value);
}
