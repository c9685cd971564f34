/** Results of profdiff as JSON, written as they come. Trees are lists of rows in preorder with a depth: no reader has to recurse. */
import { type CallsiteKind, callsiteKind, type InliningNode, inliningChildren } from '../model/inlining-tree.js';
import { splitMethodName } from '../model/method-name.js';
import { type Optimization, type OptimizationNode, optimizationChildren } from '../model/optimization-tree.js';
import { type PropertyValue, propertyText } from '../model/property.js';
import type { CompilationUnit } from '../profdiff/experiment.js';
import type { ProfdiffOptions } from '../profdiff/options.js';
import {
	type ContextNode,
	contextChildren,
	deltaLines,
	type ExperimentSummary,
	type MethodSection,
	type PairComparison,
	type ProfdiffSink,
	type TreeComparison,
	treeRows,
	type UnitTrees,
} from '../profdiff/results.js';
import type { JsonStream } from './json-stream.js';

export class ProfdiffJson implements ProfdiffSink {
	private readonly json: JsonStream;
	/** How many containers are open while items of `methods` are written. */
	private methodsDepth = 0;
	private current: object = {};

	constructor(json: JsonStream, options: ProfdiffOptions) {
		this.json = json;
		json.field('options', options);
		json.beginList('experiments');
	}

	experiment({ experiment, hotUnitCount, hotPeriod }: ExperimentSummary): void {
		const { profile } = experiment;
		this.json.item({
			number: experiment.number,
			kind: experiment.kind,
			compilations: experiment.unitCount,
			compiledPeriod: experiment.compiledPeriod,
			hotCompilations: hotUnitCount,
			hotPeriod,
			profile: profile && { kind: profile.kind, executionId: profile.executionId, entries: profile.entries.length, totalPeriod: profile.totalPeriod },
		});
	}

	/** Ends the list of experiments; sections follow. */
	beginSections(): void {
		this.json.closeTo(this.json.depth - 1);
		this.json.beginList('methods');
		this.methodsDepth = this.json.depth;
	}

	methodSection(section: MethodSection): void {
		const { json } = this;
		const { method, signature } = splitMethodName(section.methodName);
		json.closeTo(this.methodsDepth);
		json.beginObject();
		json.field('method', method);
		json.field('signature', signature);
		json.field('hotOnlyIn', section.hotOnlyIn?.number ?? null);
		json.field(
			'sides',
			section.sides.map(({ experiment, units, hotUnits }) => {
				const hot = new Set(hotUnits);
				return { experiment: experiment.number, compilations: units.map((unit) => unitRow(unit, hot.has(unit))) };
			}),
		);
		json.beginList('shown');
	}

	unit(unit: CompilationUnit): void {
		this.current = { kind: 'compilation', experiment: unit.experiment, compileId: unit.compileId };
	}

	unitTrees(trees: UnitTrees): void {
		this.json.item({
			...this.current,
			...(trees.kind === 'context'
				? { contextTree: rows<ContextNode>(trees.tree, contextChildren, contextRow) }
				: {
						inliningTree: inliningRows(trees.trees.inlining),
						optimizationTree: optimizationRows(trees.trees.optimization),
					}),
		});
	}

	pair(left: CompilationUnit, right: CompilationUnit): void {
		this.current = { kind: 'pair', left: left.compileId, right: right.compileId };
	}

	pairComparison(comparison: PairComparison): void {
		this.json.item({
			...this.current,
			...(comparison.kind === 'context'
				? { context: comparisonRows(comparison.context, contextChildren, contextRow) }
				: {
						inlining: comparisonRows(comparison.inlining, inliningChildren, inliningRow),
						optimization: comparisonRows(comparison.optimization, optimizationChildren, optimizationRow),
					}),
		});
	}
}

/** An inlining tree as rows in preorder. */
export function inliningRows(root: InliningNode): InliningRowJson[] {
	return rows(root, inliningChildren, inliningRow) as InliningRowJson[];
}

/** An optimization tree as rows in preorder. */
export function optimizationRows(root: OptimizationNode): OptimizationRowJson[] {
	return rows(root, optimizationChildren, optimizationRow) as OptimizationRowJson[];
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

type RowOf<Node> = (node: Node, depth: number) => object;

function rows<Node>(root: Node, childrenOf: (node: Node) => readonly Node[], rowOf: RowOf<Node>): object[] {
	return Array.from(treeRows(root, childrenOf), ({ depth, node }) => ({ depth, ...rowOf(node, depth) }));
}

function comparisonRows<Node>(comparison: TreeComparison<Node>, childrenOf: (node: Node) => readonly Node[], rowOf: RowOf<Node>): object {
	if (comparison.kind !== 'difference') {
		return { outcome: comparison.kind, nodes: [] };
	}
	const nodes = Array.from(deltaLines(comparison.root, childrenOf), ({ depth, operation, left, right }) => {
		const [before, after] = [left && rowOf(left, depth), right && rowOf(right, depth)];
		// The same callsite may have been decided for other reasons.
		const isSame = before === null || after === null || JSON.stringify(before) === JSON.stringify(after);
		return { depth, operation, ...(isSame ? (before ?? after) : { before, after }) };
	});
	return { outcome: 'difference', nodes };
}

function unitRow(unit: CompilationUnit, hot: boolean): object {
	const { compileId, multiMethodKey, period, fragment } = unit;
	return {
		compileId,
		multiMethodKey,
		period,
		hot,
		fragment: fragment && { of: fragment.parent.compileId, path: fragment.path.map(({ methodName, bci }) => ({ ...nameFields(methodName), bci })) },
	};
}

function inliningRow(node: InliningNode, depth: number): object {
	return callsiteRow(node, callsiteKind(node, depth === 0));
}

function callsiteRow(node: InliningNode, kind: CallsiteKind) {
	return { kind, ...nameFields(node.methodName), bci: node.bci, reasons: node.reasons, receiverTypes: node.receiverTypes };
}

function nameFields(methodName: string | null): { readonly method: string | null; readonly signature: string | null } {
	return methodName === null ? { method: null, signature: null } : splitMethodName(methodName);
}

function optimizationRow(node: OptimizationNode): object {
	return node.kind === 'phase' ? { kind: 'phase', name: node.name } : optimizationFields(node);
}

function optimizationFields({ name, event, position, properties }: Optimization) {
	return {
		kind: 'optimization' as const,
		name,
		event,
		position: position.methodNames.map((methodName, index) => ({ ...splitMethodName(methodName), bci: position.bcis[index] })),
		properties: properties.map(({ key, value }) => ({ key, value: jsonValue(value) })),
	};
}

function contextRow(node: ContextNode): object {
	switch (node.kind) {
		case 'context-root':
			return { kind: 'context-root' };
		case 'callsite':
			return callsiteRow(node.node, node.callsiteKind);
		case 'context-optimization':
			return optimizationFields(node.optimization);
		case 'info':
			return { kind: 'info', text: node.text };
	}
}

/** Integers past 2^53 and nested values become text: few readers of JSON would get them back exactly. */
function jsonValue(value: PropertyValue): unknown {
	if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
		return value;
	}
	return typeof value === 'object' && 'double' in value ? value.double : propertyText(value);
}
