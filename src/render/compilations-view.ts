/** What `assay compilations` was asked to show. */
import type { CompilationsAnswer } from '../answers/compilations.js';

export interface CompilationsView extends Pick<CompilationsAnswer, 'summary' | 'methods' | 'isFiltered' | 'order' | 'chosen' | 'reasons'> {
	/** What was recorded, and of which JVM. */
	readonly title: string;
	/** Rows of tables. */
	readonly top: number;
}
