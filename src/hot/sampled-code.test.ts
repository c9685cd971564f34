import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { SparseColumn } from '../model/sparse-column.js';
import { ControlFlow } from './control-flow.js';
import { isNop } from './instruction-cost.js';
import { ScratchColumn } from './sampled-code.js';

const values = fc.array(fc.nat(3), { minLength: 1, maxLength: 40 });

function sparse(column: readonly number[]): SparseColumn {
	return new SparseColumn(column.length, new Map([...column.entries()].filter(([, value]) => value > 0).reverse()));
}

test('a sparse column is the column, also after it was forgotten', () => {
	fc.assert(
		fc.property(values, (column) => {
			const kept = sparse(column);
			expect([...kept.dense()]).toEqual(column);
			kept.forget();
			expect([...kept.dense()]).toEqual(column);
		}),
	);
});

test('what one column leaves in the scratch is not in the next sum', () => {
	fc.assert(
		fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (columns) => {
			const scratch = new ScratchColumn();
			for (const column of columns) {
				const own = sparse(column);
				expect([...scratch.with(own, own)]).toEqual(column.map((value) => 2 * value));
			}
		}),
	);
});

test('predecessors in any order of asking: padding that nothing leads to falls into nothing', () => {
	const line = fc.oneof(
		fc.constantFrom('nop', 'nop', 'ret', 'inc %eax', '…'),
		fc.integer({ min: 0, max: 12 }).map((to) => `jne @${to}`),
	);
	fc.assert(
		fc.property(fc.array(line, { maxLength: 14 }), fc.array(fc.nat(13)), fc.boolean(), (lines, asked, isStartEntered) => {
			const code = assemble(lines);
			const entries = isStartEntered && code.length > 0 ? [code.address[0]!] : [];
			const flow = new ControlFlow(code, code, entries);
			// As it is defined, from the first instruction on.
			const falls: boolean[] = [];
			let isBeforeReached = false;
			for (let i = 0; i < code.length; i++) {
				const goesOn = i > 0 && [0, 2, 3].includes(code.flow[i - 1]!) && code.end[i - 1] === code.address[i];
				falls.push(isBeforeReached && goesOn);
				const isTarget = code.target.some((to, from) => to === code.address[i] && (code.flow[from] === 1 || code.flow[from] === 2));
				isBeforeReached = falls[i] === true || (i === 0 && isStartEntered) || isTarget || !isNop(code.formAt(i));
			}
			for (const at of asked.filter((one) => one > 0 && one < code.length)) {
				const predecessors = flow.predecessors(at);
				const jumps = [...code.target.keys()].filter((from) => code.target[from] === code.address[at] && (code.flow[from] === 1 || code.flow[from] === 2));
				expect(typeof predecessors !== 'string' && predecessors.includes(at - 1)).toBe(falls[at] === true || jumps.includes(at - 1));
			}
		}),
	);
});
