/** Files that assay itself leaves in the folder of a recording, and that are no evidence. */
export const INDEX_NAME = '.assay-index';

/** The index, or one that is being written. */
export function isIndexFile(name: string): boolean {
	return name.startsWith(INDEX_NAME);
}
