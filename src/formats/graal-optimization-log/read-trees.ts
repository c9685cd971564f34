/**
 * Second pass over Graal's optimization log: the inlining and optimization trees of one compilation unit, one line of the log.
 *
 * Lines that are as Graal writes them go through one loop over the bytes that builds the nodes as it meets them. Anything
 * unusual (unknown types, keys that come twice, a syntax error) makes that loop give up, and the line is read again by the
 * plain way (trees-of-json.ts), bytes to JSON values to trees, which decides what the line means or what is wrong with it. Both use explicit
 * stacks, and refuse trees nested deeper than MAX_DEPTH.
 */
import {
	CLOSE_BRACE,
	CLOSE_BRACKET,
	COLON,
	COMMA,
	ExactJsonReader,
	JsonSyntaxError,
	type JsonValue,
	literal,
	OPEN_BRACE,
	OPEN_BRACKET,
	QUOTE,
} from '../../bytes/exact-json.js';
import type { CompilationTrees } from '../../model/compilation.js';
import type { InliningNode } from '../../model/inlining-tree.js';
import type { Optimization, OptimizationNode, OptimizationPhase } from '../../model/optimization-tree.js';
import { NO_POSITION, type Position } from '../../model/position.js';
import type { Property } from '../../model/property.js';
import {
	asObject,
	inliningTree,
	isInt,
	MAX_DEPTH,
	type MutableInliningNode,
	NO_OPTIMIZATIONS,
	NO_PROPERTIES,
	newInliningNode,
	optimizationTree,
	plainName,
	receiverTypeProfile,
	TreeReadError,
} from './trees-of-json.js';

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

const INLINING_KEYS_REQUIRED = (1 << CALLSITE_BCI) | (1 << INLINED) | (1 << INDIRECT) | (1 << ALIVE);

/** Thrown inside this file when a line is not of the usual form. */
const UNUSUAL = Symbol('unusual line');

/** Reads the trees of many lines; keeps the names it met, so that a log's names are made once. */
export class TreeReader {
	private readonly json = new ExactJsonReader(KEYS);
	/** Method names without their multi-method keys, by number of the string table. */
	private readonly plainNames: string[] = [];

	/** The trees of one line. Throws a {@link TreeReadError}. */
	read(line: Uint8Array): CompilationTrees {
		return this.readUsualForm(line) ?? this.readAnyForm(line);
	}

	/** For tests: the short way alone; null: the line is not of the form that Graal writes. */
	readUsualForm(line: Uint8Array): CompilationTrees | null {
		try {
			return this.usualTrees(line);
		} catch (error) {
			if (error !== UNUSUAL && !(error instanceof JsonSyntaxError)) {
				throw error;
			}
			return null;
		}
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

	private usualTrees(line: Uint8Array): CompilationTrees {
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
				seen = parentsSeen.pop()!;
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
				const phase: OptimizationPhase = { kind: 'phase', name: names.pop()!, children: childLists.pop()! };
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
				const text = key < 0 ? json.lastString : json.table.strings[key]!;
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
			name = plainName(this.json.table.strings[id]!);
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
