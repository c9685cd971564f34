/** All keys, shown with `?`. */
import { useEffect, useRef } from 'preact/hooks';

const GROUPS: readonly { readonly name: string; readonly keys: readonly (readonly [string, string])[] }[] = [
	{
		name: 'Everywhere',
		keys: [
			['1 2 3 …', 'the views, from left to right'],
			['/', 'search methods, handles, addresses of instructions, native functions'],
			['b', 'the time range: arrows move it, up and down change its length, Shift for small steps, Esc takes it away; + - 0 zoom in, out, all'],
			['?', 'this'],
			['Esc', 'back, or out of what is open'],
			['Tab', 'the next pane'],
		],
	},
	{
		name: 'Tables',
		keys: [
			['j k ↓ ↑', 'the next, the previous row'],
			['PageDown PageUp Home End', 'further'],
			['Enter', 'open'],
			['o', 'sort by the next column, or the other way round'],
			['Ctrl+C', 'copy all rows, or those that are marked: tables with tabs, code as lines'],
		],
	},
	{
		name: 'One compilation',
		keys: [
			['j k', 'calls, instructions, optimizations'],
			['n', 'the next refused call; the next hot instruction; the next optimization at the selection'],
			['p', 'the frame around'],
			['← →', 'fold, unfold a call'],
			['f Enter', 'unfold all code, or one fold'],
			['s', 'hottest by seen or by analysed samples'],
			['[ ]', 'older, newer version'],
		],
	},
	{
		name: 'Samples',
		keys: [
			['← → ↑ ↓ Enter', 'frames; zoom, or unfold in the tree'],
			['s', 'callers and callees'],
			['f d', 'focus on the frame; drop the samples in it'],
			['m r', 'merge it into its callers; collapse its recursion'],
			['*', 'unfold all below'],
		],
	},
	{
		name: 'Compare',
		keys: [
			['j k', 'differences'],
			['n N', 'the next, the previous change'],
			['h', 'show noise'],
			['x', 'swap sides'],
			['e', 'equal calls and instructions too'],
		],
	},
];

export function Keys({ close }: { readonly close: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		dialog.current?.showModal();
	}, []);
	return (
		<dialog ref={dialog} class="keys" aria-label="keys" onClose={close} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
			<h2>Keys</h2>
			<div class="key-groups">
				{GROUPS.map(({ name, keys }) => (
					<section key={name}>
						<h3>{name}</h3>
						<dl>
							{keys.map(([key, what]) => (
								<div key={key}>
									<dt>
										{key.split(' ').map((one) => (
											<kbd key={one}>{one}</kbd>
										))}
									</dt>
									<dd>{what}</dd>
								</div>
							))}
						</dl>
					</section>
				))}
			</div>
			<button type="button" onClick={() => dialog.current?.close()}>
				Close
			</button>
		</dialog>
	);
}
