/**
 * Trees of a compilation unit from JSON values, by the rules of Graal's profdiff: the plain way to read a line, which decides what
 * it means or what is wrong with it.
 */
import { isJsonDouble, type JsonValue } from '../../bytes/exact-json.js';
import type { InliningNode, ReceiverType, ReceiverTypeProfile } from '../../model/inlining-tree.js';
import type { Optimization, OptimizationNode, OptimizationPhase } from '../../model/optimization-tree.js';
import { NO_POSITION, type Position } from '../../model/position.js';
import type { Property } from '../../model/property.js';
import { splitMultiMethodName } from './multi-method.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export type MutableInliningNode = Omit<Mutable<InliningNode>, 'children' | 'reasons'> & { reasons: readonly string[]; children: InliningNode[] };

const NO_INLINING_CHILDREN: InliningNode[] = [];
export const NO_OPTIMIZATIONS: OptimizationNode[] = [];
const NO_REASONS: readonly string[] = [];
export const NO_PROPERTIES: readonly Property[] = [];

/** Why a line's trees cannot be read; the message says where in the line and what was expected. */
export class TreeReadError extends Error {
	/** Bytes from the start of the line, when known. */
	readonly offset: number | undefined;
	constructor(message: string, offset?: number) {
		super(message);
		this.offset = offset;
	}
}

/**
 * Trees nested deeper are refused: no compiler goes past a few hundred levels, and a report indents by four blanks a level, so that
 * 100,000 levels would print 20 GB.
 */
export const MAX_DEPTH = 5000;

export function newInliningNode(): MutableInliningNode {
	return {
		methodName: null,
		bci: 0,
		inlined: false,
		indirect: false,
		alive: false,
		reasons: NO_REASONS,
		receiverTypes: null,
		children: NO_INLINING_CHILDREN,
	};
}

/** The inlining tree of a JSON object, read by the rules of Graal's profdiff: unknown keys are ignored. */
export function inliningTree(rootObject: Map<string, JsonValue>): InliningNode {
	const root = inliningNode(rootObject);
	const work = [{ object: rootObject, node: root, depth: 0 }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { object, node, depth } = item;
		for (const child of asListOrEmpty(object.get('invokes'), 'invokes')) {
			const childObject = asObject(child, 'an item of invokes');
			const childNode = inliningNode(childObject);
			if (node.children === NO_INLINING_CHILDREN) {
				node.children = [];
			}
			node.children.push(childNode);
			work.push({ object: childObject, node: childNode, depth: deeper(depth, 'invokes') });
		}
	}
	return root;
}

function deeper(depth: number, what: string): number {
	if (depth >= MAX_DEPTH) {
		throw new TreeReadError(`expected ${what} to be nested at most ${MAX_DEPTH} deep`);
	}
	return depth + 1;
}

function inliningNode(object: Map<string, JsonValue>): MutableInliningNode {
	const node = newInliningNode();
	const name = asStringOrNull(object.get('methodName'), 'methodName');
	node.methodName = name === null ? null : plainName(name);
	node.bci = asInt(object.get('callsiteBci'), 'callsiteBci');
	node.inlined = asBoolean(object.get('inlined'), 'inlined');
	node.reasons = asListOrEmpty(object.get('reason'), 'reason').map((reason) => asString(reason, 'an item of reason'));
	node.indirect = asBoolean(object.get('indirect'), 'indirect');
	node.alive = asBoolean(object.get('alive'), 'alive');
	node.receiverTypes = receiverTypeProfile(object.get('receiverTypeProfile') ?? null);
	return node;
}

export function receiverTypeProfile(value: JsonValue): ReceiverTypeProfile | null {
	if (value === null) {
		return null;
	}
	const object = asObject(value, 'receiverTypeProfile');
	const types = asListOrEmpty(object.get('profiledTypes'), 'profiledTypes').map((item): ReceiverType => {
		const type = asObject(item, 'an item of profiledTypes');
		return {
			typeName: asString(type.get('typeName'), 'typeName'),
			probability: asNumber(type.get('probability'), 'probability'),
			methodName: asStringOrNull(type.get('concreteMethodName'), 'concreteMethodName'),
		};
	});
	return { mature: asBoolean(object.get('mature'), 'mature'), types };
}

/** The optimization tree of a JSON object: an item with a phase name is a phase, any other an optimization. */
export function optimizationTree(rootObject: Map<string, JsonValue>): OptimizationPhase {
	const open = (object: Map<string, JsonValue>, depth: number) => {
		const children: OptimizationNode[] = [];
		const phase: OptimizationPhase = { kind: 'phase', name: asString(object.get('phaseName'), 'phaseName'), children };
		return { phase, children, object, depth };
	};
	const root = open(rootObject, 0);
	const work = [root];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		for (const child of asListOrEmpty(item.object.get('optimizations'), 'optimizations')) {
			const object = asObject(child, 'an item of optimizations');
			if ((object.get('phaseName') ?? null) === null) {
				item.children.push(optimization(object));
			} else {
				const phase = open(object, deeper(item.depth, 'phases'));
				item.children.push(phase.phase);
				work.push(phase);
			}
		}
	}
	return root.phase;
}

function optimization(object: Map<string, JsonValue>): Optimization {
	const properties: Property[] = [];
	for (const [key, value] of object) {
		if (key !== 'optimizationName' && key !== 'eventName' && key !== 'position') {
			properties.push({ key, value });
		}
	}
	return {
		kind: 'optimization',
		name: asString(object.get('optimizationName'), 'optimizationName'),
		event: asString(object.get('eventName'), 'eventName'),
		position: positionOf(object.get('position') ?? null),
		properties,
	};
}

function positionOf(value: JsonValue): Position {
	if (value === null) {
		return NO_POSITION;
	}
	const entries = [...asObject(value, 'position')];
	return {
		methodNames: entries.map(([name]) => plainName(name)),
		bcis: entries.map(([, bci]) => asInt(bci, 'a bytecode index of position')),
	};
}

export function plainName(name: string): string {
	const split = splitMultiMethodName(name);
	if (split === null) {
		throw new TreeReadError(`expected '(' after the multi-method key in the method name ${JSON.stringify(name)}`);
	}
	return split.methodName;
}

export function isInt(value: unknown): value is number {
	return typeof value === 'number' && value >= -2147483648 && value <= 2147483647;
}

function asInt(value: JsonValue | undefined, what: string): number {
	return isInt(value) ? value : wrongType(value, what, 'a 32-bit integer');
}

function asNumber(value: JsonValue | undefined, what: string): number {
	if (typeof value === 'number' || typeof value === 'bigint') {
		return Number(value);
	}
	return value !== undefined && isJsonDouble(value) ? value.double : wrongType(value, what, 'a number');
}

function asBoolean(value: JsonValue | undefined, what: string): boolean {
	return typeof value === 'boolean' ? value : wrongType(value, what, 'true or false');
}

function asString(value: JsonValue | undefined, what: string): string {
	return typeof value === 'string' ? value : wrongType(value, what, 'a string');
}

function asStringOrNull(value: JsonValue | undefined, what: string): string | null {
	return value === undefined || value === null ? null : asString(value, what);
}

function asListOrEmpty(value: JsonValue | undefined, what: string): JsonValue[] {
	if (value === undefined || value === null) {
		return [];
	}
	return Array.isArray(value) ? value : wrongType(value, what, 'a list');
}

export function asObject(value: JsonValue, what: string): Map<string, JsonValue> {
	return value instanceof Map ? value : wrongType(value, what, 'an object');
}

function wrongType(value: JsonValue | undefined, what: string, expected: string): never {
	const found =
		value === undefined
			? 'nothing'
			: Array.isArray(value)
				? 'a list'
				: value instanceof Map
					? 'an object'
					: value !== null && isJsonDouble(value)
						? String(value.double)
						: JSON.stringify(typeof value === 'bigint' ? String(value) : value).slice(0, 80);
	throw new TreeReadError(`expected ${expected} as ${what}, found ${found}`);
}
