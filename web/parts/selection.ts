/** The bytecode position that is chosen in a compilation: every pane marks it. */
import type { Position } from '../position.js';

export interface Selection {
	readonly position: Position | null;
	/** The pane that it was made in: the others bring it into view. */
	readonly from: string;
	choose(position: Position | null, from: string): void;
}
