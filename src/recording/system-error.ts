/** Why the operating system refused, in the words of its manual. */
const REASONS: Readonly<Record<string, string>> = {
	EACCES: 'Permission denied',
	EDQUOT: 'Disk quota exceeded',
	EFBIG: 'File too large',
	EIO: 'Input/output error',
	EISDIR: 'Is a directory',
	ELOOP: 'Too many levels of symbolic links',
	EMFILE: 'Too many open files',
	ENOENT: 'No such file or directory',
	ENOSPC: 'No space left on device',
	ENOTDIR: 'Not a directory',
	EROFS: 'Read-only file system',
};

/** The code itself where it has no words here; the message of an error that is not the system's. */
export function reasonOf(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return REASONS[code ?? ''] ?? code ?? message;
}
