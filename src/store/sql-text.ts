/** Pieces of SQL that are made from text of users: literals and conditions. Nothing of a label becomes SQL: names are checked, values are quoted. */
import { INLINING_REASONS } from '../model/inlining-reasons.js';
import { UsageError } from '../model/problem.js';

/** A text as both engines read it: quotes doubled, nothing else is special in it. Neither engine takes the character 0. */
export function literal(text: string): string {
	return `'${text.replaceAll('\u0000', '').replaceAll("'", "''")}'`;
}

/** Labels that are columns of `runs`; the others are rows of `labels`. */
const COLUMNS = ['name', 'service', 'build', 'host', 'runtime', 'version', 'cpu', 'flags', 'command'] as const;
const WHERE = /^([A-Za-z][A-Za-z0-9_.-]{0,62})(!?=)([\s\S]{0,1000})$/;

export interface Condition {
	readonly label: string;
	readonly isEqual: boolean;
	readonly value: string;
}

/** `build=1.4`, `host!=db1`. Throws a {@link UsageError}. */
export function parseConditions(texts: readonly string[], option: string): Condition[] {
	return texts.map((text) => {
		const [, label, operator, value] = WHERE.exec(text) ?? [];
		if (label === undefined || value === undefined) {
			throw new UsageError(`${option} takes LABEL=VALUE or LABEL!=VALUE, not "${text}"`);
		}
		return { label, isEqual: operator === '=', value };
	});
}

/** As {@link parseConditions} reads it. */
export function conditionText({ label, isEqual, value }: Condition): string {
	return `${label}${isEqual ? '=' : '!='}${value}`;
}

/** Days, both inclusive. */
export interface Days {
	readonly from: string;
	readonly to: string;
}

/** A predicate over rows of `runs`. */
export function runsPredicate(conditions: readonly Condition[], days: Days): string {
	const parts = conditions.map(({ label, isEqual, value }) => {
		const column = COLUMNS.find((one) => one === label || (label === 'run' && one === 'name'));
		if (column !== undefined) {
			return isEqual ? `${column} = ${literal(value)}` : `coalesce(${column}, '') <> ${literal(value)}`;
		}
		if (label === 'jdk') {
			const jdk = /^\d{1,4}$/.test(value) ? value : '-1';
			return isEqual ? `jdk = ${jdk}` : `coalesce(jdk, -1) <> ${jdk}`;
		}
		const having = `run ${isEqual ? 'IN' : 'NOT IN'} (SELECT l.run FROM labels l WHERE l.label = ${literal(label)} AND l.value = ${literal(value)})`;
		return having;
	});
	return [...parts, daysPredicate('dt', days)].join(' AND ');
}

export function daysPredicate(column: string, { from, to }: Days): string {
	return `${column} BETWEEN ${literal(from)} AND ${literal(to)}`;
}

/** The first of the flags that decide about a reason of HotSpot's inliners; null where none does. */
export function flagOfReason(column: string): string {
	const cases = INLINING_REASONS.flatMap(({ reason, isInlined, flags: [first] }) => {
		if (isInlined || first === undefined) {
			return [];
		}
		const prefix = reason.endsWith('…') ? reason.slice(0, -1) : null;
		const condition = prefix === null ? `${column} = ${literal(reason)}` : `substr(${column}, 1, ${prefix.length}) = ${literal(prefix)}`;
		return [`WHEN ${condition} THEN ${literal(first.name)}`];
	});
	return `CASE ${[...new Set(cases)].join(' ')} END`;
}
