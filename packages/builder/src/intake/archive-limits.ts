/** Limits on the contents of an archive. */
export interface ArchiveLimits {
  /** Number of files, folders and links, including folders implied by paths. */
  readonly entries: number;
  /** Size of the tar stream in bytes, including headers. */
  readonly unpackedBytes: number;
  /** Maximum unpacked bytes per archive byte, checked beyond {@link ratioFreeBytes}. */
  readonly ratio: number;
  /** Unpacked bytes up to which any ratio is allowed: a few blank files do no harm. */
  readonly ratioFreeBytes: number;
}

/**
 * The default limits. Source trees compress 3 to 10 times, generated JSON up to about 50 times, and deflate at most
 * 1,032 times (RFC 1951: 258 bytes from 2 bits), so a ratio of 200 separates bombs from projects with a margin on both
 * sides. 100,000 entries are several times the size of the largest monorepos without their dependencies.
 */
export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  entries: 100_000,
  unpackedBytes: 4 * 2 ** 30,
  ratio: 200,
  ratioFreeBytes: 64 * 2 ** 20,
};
