import { LIMITS } from '@berth/contract';

/** Part names that hold the archive. Source: docs/contract/control-plane.md §2. */
export const ARCHIVE_PARTS: ReadonlySet<string> = new Set(['source_archive.0', 'source_archive']);

/** Bounds of a deploy form besides its archive. The contract has 14 fields; unknown ones are ignored. */
export const FORM_LIMITS = {
  fields: 64,
  parts: 80,
  fieldNameBytes: 100,
  fieldBytes: LIMITS.formFieldBytes,
  headerPairs: 32,
  headerBytes: 16 * 1024,
  /** Everything together: the archive, the fields, the lines between them. */
  bodyBytes: LIMITS.archiveBytes + 16 * 2 ** 20,
} as const;
