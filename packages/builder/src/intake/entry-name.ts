import { createEntryViolation } from './archive-violation.ts';

/** NAME_MAX of Linux file systems. Source: limits.h. */
const SEGMENT_BYTES = 255;
/** As for volume paths (docs/contract/control-plane.md §5); leaves room below PATH_MAX (4,096) for the folder it is unpacked into. */
const PATH_BYTES = 1_024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A name as it stands in the archive. */
export interface RawEntryName {
  /** One character per byte (latin1) from a tar header; text from a pax record. */
  readonly name: string;
  readonly isText: boolean;
}

/**
 * The text of a name or link target.
 * @throws BerthError `archive_invalid` when it is not UTF-8 or holds NUL.
 */
export function decodeEntryText({ name, isText }: RawEntryName): string {
  let text = name;
  if (isText) {
    // The pax reader has already put U+FFFD where the bytes were not UTF-8.
    if (name.includes('\ufffd')) throw createEntryViolation(name, 'has a name that is not UTF-8');
  } else {
    try {
      text = utf8.decode(Buffer.from(name, 'latin1'));
    } catch {
      throw createEntryViolation(name, 'has a name that is not UTF-8');
    }
  }
  if (text.includes('\0')) throw createEntryViolation(text, 'has a NUL in its name');
  return text;
}

/**
 * The path an entry is unpacked to: relative, `/` between segments, no empty, `.` or `..` segment; empty for the root.
 * @throws BerthError `archive_invalid` for every name that is not safe to create.
 */
export function parseEntryName(raw: RawEntryName): string {
  const text = decodeEntryText(raw);
  if (text === '') throw createEntryViolation(text, 'has no name');
  if (text.startsWith('/')) throw createEntryViolation(text, 'has an absolute path');
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw createEntryViolation(text, 'has ".." in its path');
  const long = segments.find((segment) => Buffer.byteLength(segment) > SEGMENT_BYTES);
  if (long !== undefined) throw createEntryViolation(text, `has a name over ${SEGMENT_BYTES} bytes`);
  const path = segments.join('/');
  if (Buffer.byteLength(path) > PATH_BYTES) throw createEntryViolation(text, `has a path over ${PATH_BYTES} bytes`);
  return path;
}
