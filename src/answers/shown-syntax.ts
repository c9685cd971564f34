/** A report of hot code with its instructions in the syntax that was asked for. */
import { type Syntax, spelledInstructions } from '../disassembly/spelled-instructions.js';
import type { CodeHeat, HotReport, Region } from '../hot/hot-results.js';
import { withInstructions } from '../hot/sampled-code.js';

export function inSyntax<T extends { readonly report: HotReport }>(opened: T, syntax: Syntax): T {
	return syntax === 'att' ? opened : { ...opened, report: spelledReport(opened.report, syntax) };
}

/** Each piece of code stays one object: regions and methods are told by it. */
function spelledReport(report: HotReport, syntax: Syntax): HotReport {
	const known = new Map<CodeHeat, CodeHeat>();
	const spelled = (heat: CodeHeat): CodeHeat => {
		const shown = known.get(heat) ?? withInstructions(heat, heat.instructions === null ? null : spelledInstructions(heat.instructions, syntax));
		known.set(heat, shown);
		return shown;
	};
	return {
		...report,
		code: report.code.map(spelled),
		regions: report.regions.map((region) => (region.heat === null ? region : withHeat(region, spelled(region.heat)))),
		methods: report.methods.map((method) => ({ ...method, versions: method.versions.map(spelled) })),
	};
}

function withHeat(region: Region, heat: CodeHeat): Region {
	return Object.create(region, { heat: { value: heat, enumerable: true } }) as Region;
}
