/** System errors that an operator can fix, as a sentence about a path. Source: errno(3). */
const REASONS: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `This user (uid ${process.getuid?.() ?? 'unknown'}) isn't allowed to use ${path}.`,
  EPERM: (path) => `This user (uid ${process.getuid?.() ?? 'unknown'}) isn't allowed to change ${path}.`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  EEXIST: (path) => `${path} is a file, not a folder.`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a folder.`,
  EISDIR: (path) => `${path} is a folder, not a file.`,
  ENOENT: (path) => `${path} doesn't exist and can't be created.`,
  ENOSPC: (path) => `The disk of ${path} is full.`,
  EDQUOT: (path) => `The disk quota for ${path} is used up.`,
  EIO: (path) => `The disk of ${path} reported an error.`,
  ELOOP: (path) => `${path} leads through too many symbolic links.`,
  ENAMETOOLONG: (path) => `${path} is too long.`,
  EMFILE: (path) => `Too many files are open to open ${path}.`,
  ENFILE: (path) => `Too many files are open on this machine to open ${path}.`,
};

/** Returns a sentence with the code of a system error, for an operator; undefined for any other error. */
export function describeSystemError(error: unknown): string | undefined {
  const { code = '', path, dest, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const describe = REASONS[code];
  if (describe === undefined || syscall === undefined) return undefined;
  return `${describe(dest ?? path ?? 'the data folder').replace(/\.$/, '')} (${code}, ${syscall}).`;
}
