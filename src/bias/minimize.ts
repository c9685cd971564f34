/** Minimizes a smooth function: L-BFGS (Nocedal 1980) with a step halved until it descends enough (Armijo 1966). */
export interface Evaluated {
	readonly value: number;
	readonly gradient: Float64Array;
}

const MEMORY = 12;

/** What a step told of the curvature: how far it went, how the gradient changed, and 1 over their product. */
export interface Step {
	readonly s: Float64Array;
	readonly y: Float64Array;
	readonly rho: number;
}

/** `steps` are the last of an earlier search for much the same function, which is then quicker; those of this one are added. */
export function minimize(start: Float64Array, evaluate: (x: Float64Array) => Evaluated, evaluations: number, steps: Step[] = []): Float64Array {
	let x = start;
	let at = evaluate(x);
	for (let used = 1; used < evaluations; ) {
		const direction = descend(at.gradient, steps);
		const slope = dot(direction, at.gradient);
		if (!(slope < 0)) {
			return x;
		}
		let step = steps.length === 0 ? Math.min(1, 1 / Math.sqrt(dot(at.gradient, at.gradient))) : 1;
		let next: Evaluated | null = null;
		let moved = x;
		for (; used < evaluations && next === null; step /= 2) {
			moved = plus(x, direction, step);
			const tried = evaluate(moved);
			used++;
			next = tried.value <= at.value + 1e-4 * step * slope ? tried : null;
			if (step < 1e-8) {
				return x;
			}
		}
		if (next === null) {
			return x;
		}
		const s = plus(moved, x, -1);
		const y = plus(next.gradient, at.gradient, -1);
		const curvature = dot(s, y);
		if (curvature > 1e-12) {
			steps.push({ s, y, rho: 1 / curvature });
			if (steps.length > MEMORY) {
				steps.shift();
			}
		}
		const gained = at.value - next.value;
		x = moved;
		at = next;
		if (gained < 1e-7 * Math.max(1, Math.abs(at.value))) {
			return x;
		}
	}
	return x;
}

function descend(gradient: Float64Array, steps: readonly Step[]): Float64Array {
	const q = new Float64Array(gradient.length);
	add(q, gradient, -1);
	const weights: number[] = [];
	for (let i = steps.length - 1; i >= 0; i--) {
		const { s, y, rho } = steps[i]!;
		const weight = rho * dot(s, q);
		weights[i] = weight;
		add(q, y, -weight);
	}
	const last = steps.at(-1);
	if (last !== undefined) {
		const scale = 1 / (last.rho * dot(last.y, last.y));
		for (let i = 0; i < q.length; i++) {
			q[i] = q[i]! * scale;
		}
	}
	steps.forEach(({ s, y, rho }, i) => {
		add(q, s, weights[i]! - rho * dot(y, q));
	});
	return q;
}

function dot(a: Float64Array, b: Float64Array): number {
	let sum = 0;
	for (let i = 0; i < a.length; i++) {
		sum += a[i]! * b[i]!;
	}
	return sum;
}

function plus(a: Float64Array, b: Float64Array, times: number): Float64Array {
	const result = a.slice();
	add(result, b, times);
	return result;
}

function add(to: Float64Array, what: Float64Array, times: number): void {
	for (let i = 0; i < to.length; i++) {
		to[i] = to[i]! + times * what[i]!;
	}
}
