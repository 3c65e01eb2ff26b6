/** Bounds of what an archive may unpack to. */
export interface ArchiveLimits {
  /** Files, folders and links, folders that are only implied by a path included. */
  readonly entries: number;
  /** Bytes of the tar stream, headers included. */
  readonly unpackedBytes: number;
  /** Most unpacked bytes for each archive byte, asked once {@link ratioFreeBytes} are passed. */
  readonly ratio: number;
  /** Below this many unpacked bytes any ratio is fine: a few blank files do no harm. */
  readonly ratioFreeBytes: number;
}

/**
 * Source trees compress 3 to 10 times, generated JSON up to some 50 times, and deflate can't pass 1,032 times
 * (RFC 1951: 258 bytes from 2 bits), so 200 tells a bomb from a project with room on both sides.
 * 100,000 entries are several times the largest monorepos without their dependencies.
 */
export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  entries: 100_000,
  unpackedBytes: 4 * 2 ** 30,
  ratio: 200,
  ratioFreeBytes: 64 * 2 ** 20,
};
