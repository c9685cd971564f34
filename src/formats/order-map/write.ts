/** Writes assay's map: JSON with a line for each function, so that two maps can be compared as text. */
import type { OrderMap, OrderMapFunction, OrderMapModule } from '../../model/order-map.js';
import { ORDER_MAP_FORMAT, ORDER_MAP_VERSION } from './version.js';

/** Gives the text piece by piece, a module or less each. */
export function writeOrderMap(map: OrderMap, write: (text: string) => void): void {
	const { buildId, bufferEntries, isRing } = map;
	write(`{"format":"${ORDER_MAP_FORMAT}","version":${ORDER_MAP_VERSION},"buildId":"${buildId}","bufferEntries":${bufferEntries},"ring":${isRing},"modules":[`);
	map.modules.forEach((module, index) => {
		write(`${index === 0 ? '\n' : ',\n'}${moduleText(module)}`);
	});
	write('\n]}\n');
}

function moduleText({ id, name, source, hash, isMachO = false, functions, omitted }: OrderMapModule): string {
	const head = JSON.stringify({ id, name, source, hash, ...(isMachO ? { objects: 'mach-o' } : {}) }).slice(0, -1);
	const left = omitted.map(({ symbol, reason }) => `\n  ${JSON.stringify({ symbol, reason })}`);
	return `${head},"functions":[${functions.map(functionText).join(',')}\n ],"omitted":[${left.join(',')}${left.length === 0 ? '' : '\n '}]}`;
}

function functionText({ symbol, linkage, comdat, file, line }: OrderMapFunction, id: number): string {
	return `\n  ${JSON.stringify({
		id,
		symbol,
		linkage,
		...(comdat === null ? {} : { comdat }),
		...(file === null ? {} : { file }),
		...(line === null ? {} : { line }),
	})}`;
}
