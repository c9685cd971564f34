/** The kernel's word for a file that was deleted or replaced while it was mapped, behind its name. */
const DELETED = ' (deleted)';

/** `/lib/a.so` of `/lib/a.so (deleted)`: which file it was. */
export function nameOfMapped(text: string): string {
	return text.endsWith(DELETED) ? text.slice(0, -DELETED.length) : text;
}
