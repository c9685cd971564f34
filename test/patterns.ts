/**
 * The regular expressions of the sources, as JavaScript's grammar sees them: literals, and those that are put together by `new RegExp` of constants of their
 * file. What a constant does not tell stands for any word.
 */
import { parseAst } from 'rolldown/parseAst';
import { readSource } from './source-files.js';

export interface Pattern {
	/** `src/a.ts:12` */
	readonly place: string;
	readonly source: string;
	readonly flags: string;
}

interface SyntaxNode {
	readonly type: string;
	readonly start: number;
	readonly [key: string]: unknown;
}

export function patternsOf(file: string): Pattern[] {
	return patternsIn(readSource(file), file);
}

export function patternsIn(text: string, file: string): Pattern[] {
	const nodes = nodesOf(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file));
	const constants = new Map<string, SyntaxNode>();
	for (const { type, id, init } of nodes) {
		if (type === 'VariableDeclarator' && isNode(id) && isNode(init) && typeof id.name === 'string') {
			constants.set(id.name, init);
		}
	}
	return nodes.flatMap((node) => {
		const found = patternOf(node, constants);
		return found === null ? [] : [{ place: `${file}:${text.slice(0, node.start).split('\n').length}`, ...found }];
	});
}

function patternOf(node: SyntaxNode, constants: ReadonlyMap<string, SyntaxNode>): Pick<Pattern, 'source' | 'flags'> | null {
	if (node.type === 'Literal' && isNode(node.regex)) {
		return { source: String(node.regex.pattern), flags: String(node.regex.flags) };
	}
	const isMade = (node.type === 'NewExpression' || node.type === 'CallExpression') && isNode(node.callee) && node.callee.name === 'RegExp';
	const [source, flags] = isMade && Array.isArray(node.arguments) ? node.arguments : [];
	return source === undefined ? null : { source: constantText(source, constants), flags: flags === undefined ? '' : constantText(flags, constants) };
}

/** What a constant expression says; a word for what is known only when the program runs. */
function constantText(node: unknown, constants: ReadonlyMap<string, SyntaxNode>): string {
	if (!isNode(node)) {
		return 'x';
	}
	if (node.type === 'Literal') {
		return String(node.value);
	}
	if (node.type === 'Identifier') {
		return constantText(constants.get(String(node.name)), constants);
	}
	if (node.type === 'TemplateLiteral' && Array.isArray(node.quasis) && Array.isArray(node.expressions)) {
		const { expressions } = node;
		return node.quasis.map((quasi, i) => `${quasi.value.cooked}${i < expressions.length ? constantText(expressions[i], constants) : ''}`).join('');
	}
	return 'x';
}

/** All of a tree, each above what it holds. */
function nodesOf(root: unknown): SyntaxNode[] {
	const found: SyntaxNode[] = [];
	const work: unknown[] = [root];
	while (work.length > 0) {
		const next = work.pop();
		if (typeof next !== 'object' || next === null) {
			continue;
		}
		if (isNode(next)) {
			found.push(next);
		}
		for (const child of Object.values(next)) {
			work.push(child);
		}
	}
	return found;
}

function isNode(value: unknown): value is SyntaxNode {
	return typeof value === 'object' && value !== null;
}
