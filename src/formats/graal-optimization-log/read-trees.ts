/**
 * Second pass over Graal's optimization log: the inlining and optimization trees of one compilation unit, one line of the log.
 *
 * Lines that are as Graal writes them go through one loop over the bytes that builds the nodes as it meets them. Anything
 * unusual (unknown types, keys that come twice, a syntax error) makes that loop give up, and the line is read again by the
 * plain way, bytes to JSON values to trees, which decides what the line means or what is wrong with it. Both use explicit
 * stacks: nesting is bounded by memory only.
 */
import {
	CLOSE_BRACE,
	CLOSE_BRACKET,
	COLON,
	COMMA,
	ExactJsonReader,
	isJsonDouble,
	JsonSyntaxError,
	type JsonValue,
	literal,
	OPEN_BRACE,
	OPEN_BRACKET,
	QUOTE,
} from '../../bytes/exact-json.js';
import type { CompilationTrees } from '../../model/compilation.js';
import type { InliningNode, ReceiverType, ReceiverTypeProfile } from '../../model/inlining-tree.js';
import type { Optimization, OptimizationNode, OptimizationPhase } from '../../model/optimization-tree.js';
import { NO_POSITION, type Position } from '../../model/position.js';
import type { Property } from '../../model/property.js';
import { splitMultiMethodName } from './multi-method.js';

const KEYS = [
	'methodName',
	'callsiteBci',
	'inlined',
	'reason',
	'indirect',
	'alive',
	'receiverTypeProfile',
	'invokes',
	'phaseName',
	'optimizations',
	'optimizationName',
	'eventName',
	'position',
	'inliningTree',
	'optimizationTree',
] as const;

// Positions in KEYS, which are the numbers that the string table gives these keys.
const METHOD_NAME = 0;
const CALLSITE_BCI = 1;
const INLINED = 2;
const REASON = 3;
const INDIRECT = 4;
const ALIVE = 5;
const RECEIVER_TYPE_PROFILE = 6;
const INVOKES = 7;
const PHASE_NAME = 8;
const OPTIMIZATIONS = 9;
const OPTIMIZATION_NAME = 10;
const EVENT_NAME = 11;
const POSITION = 12;
const INLINING_TREE = 13;
const OPTIMIZATION_TREE = 14;
const NO_KEY = -2;

// What Graal writes before and between values, without blanks: recognized as a whole.
const PHASE_START = literal('"phaseName":"');
const PHASE_CHILDREN = literal(',"optimizations":[');
const PHASE_EMPTY_END = literal(']}');
const OPTIMIZATION_START = literal('"optimizationName":"');
const EVENT = literal(',"eventName":"');
const POSITION_START = literal(',"position":{');

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type MutableInliningNode = Omit<Mutable<InliningNode>, 'children' | 'reasons'> & { reasons: readonly string[]; children: InliningNode[] };

const NO_INLINING_CHILDREN: InliningNode[] = [];
const NO_OPTIMIZATIONS: OptimizationNode[] = [];
const NO_REASONS: readonly string[] = [];
const NO_PROPERTIES: readonly Property[] = [];
const INLINING_KEYS_REQUIRED = (1 << CALLSITE_BCI) | (1 << INLINED) | (1 << INDIRECT) | (1 << ALIVE);

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
const MAX_DEPTH = 5000;

/** Thrown inside this file when a line is not of the usual form. */
const UNUSUAL = Symbol('unusual line');

/** Reads the trees of many lines; keeps the names it met, so that a log's names are made once. */
export class TreeReader {
	private readonly json = new ExactJsonReader(KEYS);
	/** Method names without their multi-method keys, by number of the string table. */
	private readonly plainNames: string[] = [];

	/** The trees of one line. Throws a {@link TreeReadError}. */
	read(line: Uint8Array): CompilationTrees {
		try {
			return this.readUsualForm(line);
		} catch (error) {
			if (error !== UNUSUAL && !(error instanceof JsonSyntaxError)) {
				throw error;
			}
		}
		return this.readAnyForm(line);
	}

	/** For tests: the plain way alone. */
	readAnyForm(line: Uint8Array): CompilationTrees {
		let value: JsonValue;
		try {
			value = this.json.reset(line).document();
		} catch (error) {
			if (error instanceof JsonSyntaxError) {
				throw new TreeReadError(error.message, error.offset);
			}
			throw error;
		}
		const unit = asObject(value, 'the line');
		return {
			inlining: inliningTree(asObject(unit.get('inliningTree') ?? null, 'inliningTree')),
			optimization: optimizationTree(asObject(unit.get('optimizationTree') ?? null, 'optimizationTree')),
		};
	}

	private readUsualForm(line: Uint8Array): CompilationTrees {
		const json = this.json.reset(line);
		let inlining: InliningNode | undefined;
		let optimization: OptimizationPhase | undefined;
		json.expect(OPEN_BRACE);
		do {
			const key = this.key();
			if (key === INLINING_TREE && inlining === undefined) {
				inlining = this.usualInliningTree();
			} else if (key === OPTIMIZATION_TREE && optimization === undefined) {
				optimization = this.usualOptimizationTree();
			} else if (key === INLINING_TREE || key === OPTIMIZATION_TREE) {
				throw UNUSUAL;
			} else {
				json.value();
			}
		} while (json.accept(COMMA));
		json.expect(CLOSE_BRACE);
		json.expectEnd();
		if (inlining === undefined || optimization === undefined) {
			throw UNUSUAL;
		}
		return { inlining, optimization };
	}

	private usualInliningTree(): InliningNode {
		const json = this.json;
		const parents: MutableInliningNode[] = [];
		const parentsSeen: number[] = [];
		json.expect(OPEN_BRACE);
		let node = newInliningNode();
		let seen = 0;
		for (;;) {
			// Members of `node`, up to a child or to its end.
			let isOpen = true;
			do {
				const key = this.key();
				if (key < 0 || (seen & (1 << key)) !== 0) {
					throw UNUSUAL;
				}
				seen |= 1 << key;
				if (key === INVOKES) {
					if (parents.length >= MAX_DEPTH) {
						throw UNUSUAL;
					}
					json.expect(OPEN_BRACKET);
					json.expect(OPEN_BRACE);
					node.children = [];
					parents.push(node);
					parentsSeen.push(seen);
					node = newInliningNode();
					seen = 0;
					isOpen = false;
					break;
				}
				this.inliningMember(node, key);
			} while (json.accept(COMMA));
			if (!isOpen) {
				continue;
			}
			// The end of `node`, and of every parent that it completes.
			for (;;) {
				json.expect(CLOSE_BRACE);
				if ((seen & INLINING_KEYS_REQUIRED) !== INLINING_KEYS_REQUIRED) {
					throw UNUSUAL;
				}
				const parent = parents.pop();
				if (parent === undefined) {
					return node;
				}
				parent.children.push(node);
				if (json.accept(COMMA)) {
					json.expect(OPEN_BRACE);
					parents.push(parent);
					node = newInliningNode();
					seen = 0;
					break;
				}
				json.expect(CLOSE_BRACKET);
				node = parent;
				seen = parentsSeen.pop() as number;
				if (json.accept(COMMA)) {
					break;
				}
			}
		}
	}

	private inliningMember(node: MutableInliningNode, key: number): void {
		const json = this.json;
		switch (key) {
			case METHOD_NAME:
				node.methodName = json.peek() === QUOTE ? this.methodName() : this.usualNull();
				return;
			case CALLSITE_BCI:
				node.bci = this.usualInt();
				return;
			case INLINED:
				node.inlined = this.usualBoolean();
				return;
			case INDIRECT:
				node.indirect = this.usualBoolean();
				return;
			case ALIVE:
				node.alive = this.usualBoolean();
				return;
			case REASON:
				if (json.accept(OPEN_BRACKET)) {
					const reasons: string[] = [];
					do {
						reasons.push(json.string());
					} while (json.accept(COMMA));
					json.expect(CLOSE_BRACKET);
					node.reasons = reasons;
				} else {
					this.usualNull();
				}
				return;
			case RECEIVER_TYPE_PROFILE:
				node.receiverTypes = receiverTypeProfile(json.value());
				return;
			default:
				throw UNUSUAL;
		}
	}

	private usualOptimizationTree(): OptimizationPhase {
		const json = this.json;
		// The phases that are open, outermost first.
		const names: string[] = [];
		const childLists: OptimizationNode[][] = [];
		json.expect(OPEN_BRACE);
		for (;;) {
			// One node, after its opening brace: a phase names itself first, anything else is an optimization.
			const isLiteralPhase = json.acceptLiteral(PHASE_START);
			const isLiteralOptimization = !isLiteralPhase && json.acceptLiteral(OPTIMIZATION_START);
			const firstKey = isLiteralPhase ? PHASE_NAME : isLiteralOptimization ? OPTIMIZATION_NAME : this.key();
			if (firstKey === PHASE_NAME) {
				names.push(isLiteralPhase ? json.restOfString() : json.string());
				if (!json.acceptLiteral(PHASE_CHILDREN)) {
					json.expect(COMMA);
					if (this.key() !== OPTIMIZATIONS) {
						throw UNUSUAL;
					}
					json.expect(OPEN_BRACKET);
				}
				if (json.accept(OPEN_BRACE)) {
					if (names.length > MAX_DEPTH) {
						throw UNUSUAL;
					}
					childLists.push([]);
					continue;
				}
				childLists.push(NO_OPTIMIZATIONS);
			} else {
				const siblings = childLists[childLists.length - 1];
				if (siblings === undefined) {
					throw UNUSUAL;
				}
				siblings.push(this.usualOptimization(firstKey, isLiteralOptimization ? json.restOfString() : undefined));
				if (json.accept(COMMA)) {
					json.expect(OPEN_BRACE);
					continue;
				}
			}
			// The ends of the phases that are complete.
			for (;;) {
				if (!json.acceptLiteral(PHASE_EMPTY_END)) {
					json.expect(CLOSE_BRACKET);
					json.expect(CLOSE_BRACE);
				}
				const phase: OptimizationPhase = { kind: 'phase', name: names.pop() as string, children: childLists.pop() as OptimizationNode[] };
				const siblings = childLists[childLists.length - 1];
				if (siblings === undefined) {
					return phase;
				}
				siblings.push(phase);
				if (json.accept(COMMA)) {
					json.expect(OPEN_BRACE);
					break;
				}
			}
		}
	}

	/** An optimization from its first value on; `firstName` when that was the name and has been taken. */
	private usualOptimization(firstKey: number, firstName: string | undefined): Optimization {
		const json = this.json;
		let name = firstName;
		let event: string | undefined;
		let position: Position = NO_POSITION;
		let properties = NO_PROPERTIES as Property[];
		let key = firstKey;
		if (firstName !== undefined) {
			if (json.acceptLiteral(EVENT)) {
				event = json.restOfString();
				if (json.acceptLiteral(POSITION_START)) {
					position = this.usualPosition();
				}
			}
			key = this.nextKey();
		}
		while (key !== NO_KEY) {
			if (key === OPTIMIZATION_NAME) {
				name = json.string();
			} else if (key === EVENT_NAME) {
				event = json.string();
			} else if (key === POSITION) {
				position = json.accept(OPEN_BRACE) ? this.usualPosition() : (this.usualNull() ?? NO_POSITION);
			} else if (key === PHASE_NAME || key === OPTIMIZATIONS) {
				throw UNUSUAL;
			} else {
				const text = key < 0 ? json.lastString : (json.table.strings[key] as string);
				if (properties === NO_PROPERTIES) {
					properties = [];
				} else if (properties.some((property) => property.key === text)) {
					throw UNUSUAL;
				}
				const byte = json.peek();
				properties.push({ key: text, value: byte === OPEN_BRACE || byte === OPEN_BRACKET ? json.value() : json.scalar(byte) });
			}
			key = this.nextKey();
		}
		json.expect(CLOSE_BRACE);
		if (name === undefined || event === undefined) {
			throw UNUSUAL;
		}
		return { kind: 'optimization', name, event, position, properties };
	}

	/** The key of the next member of an object, or {@link NO_KEY} when none follows. */
	private nextKey(): number {
		return this.json.accept(COMMA) ? this.key() : NO_KEY;
	}

	/** The number of a key; -1 when the table does not hold it. */
	private key(): number {
		const id = this.json.stringId();
		this.json.expect(COLON);
		return id;
	}

	/** A position after its opening brace. */
	private usualPosition(): Position {
		const json = this.json;
		if (json.accept(CLOSE_BRACE)) {
			return NO_POSITION;
		}
		const methodNames: string[] = [];
		const bcis: number[] = [];
		do {
			const name = this.methodName();
			json.expect(COLON);
			const bci = this.usualInt();
			if (methodNames.includes(name)) {
				throw UNUSUAL; // the same key twice, or two keys that differ in the multi-method key only
			}
			methodNames.push(name);
			bcis.push(bci);
		} while (json.accept(COMMA));
		json.expect(CLOSE_BRACE);
		return { methodNames, bcis };
	}

	private methodName(): string {
		const id = this.json.stringId();
		if (id < 0) {
			return plainName(this.json.lastString);
		}
		let name = this.plainNames[id];
		if (name === undefined) {
			name = plainName(this.json.table.strings[id] as string);
			this.plainNames[id] = name;
		}
		return name;
	}

	private usualNull(): null {
		if (this.json.scalar(this.json.peek()) !== null) {
			throw UNUSUAL;
		}
		return null;
	}

	private usualBoolean(): boolean {
		const value = this.json.scalar(this.json.peek());
		if (typeof value !== 'boolean') {
			throw UNUSUAL;
		}
		return value;
	}

	private usualInt(): number {
		const value = this.json.number();
		if (!isInt(value)) {
			throw UNUSUAL;
		}
		return value;
	}
}

function newInliningNode(): MutableInliningNode {
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
function inliningTree(rootObject: Map<string, JsonValue>): InliningNode {
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

function receiverTypeProfile(value: JsonValue): ReceiverTypeProfile | null {
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
function optimizationTree(rootObject: Map<string, JsonValue>): OptimizationPhase {
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

function plainName(name: string): string {
	const split = splitMultiMethodName(name);
	if (split === null) {
		throw new TreeReadError(`expected '(' after the multi-method key in the method name ${JSON.stringify(name)}`);
	}
	return split.methodName;
}

function isInt(value: unknown): value is number {
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

function asObject(value: JsonValue, what: string): Map<string, JsonValue> {
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
