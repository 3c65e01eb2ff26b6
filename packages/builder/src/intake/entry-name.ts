import { createEntryViolation } from './archive-violation.ts';

/** Maximum length of a name, NAME_MAX of Linux. Source: limits.h. */
const SEGMENT_BYTES = 255;
/**
 * Maximum length of a path, as for volumes (docs/contract/control-plane.md §5). Leaves room below PATH_MAX (4,096) for
 * the folder above.
 */
const PATH_BYTES = 1_024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A name as stored in an archive. */
export interface RawEntryName {
  /** One character per byte (latin1) from a tar header; text from a pax record. */
  readonly name: string;
  readonly isText: boolean;
}

/**
 * Decodes a name or a link target.
 * @throws BerthError `archive_invalid` if it isn't UTF-8 or contains NUL.
 */
export function decodeEntryText({ name, isText }: RawEntryName): string {
  let text = name;
  if (isText) {
    // The pax reader has already replaced invalid UTF-8 with U+FFFD.
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
 * Returns the path that an entry is unpacked to: relative, separated by `/`, without empty, `.` or `..` segments; empty
 * for the root.
 * @param maxBytes Maximum length of the path.
 * @throws BerthError `archive_invalid` for every name that isn't safe to create.
 */
export function parseEntryName(raw: RawEntryName, maxBytes = PATH_BYTES): string {
  const text = decodeEntryText(raw);
  if (text === '') throw createEntryViolation(text, 'has no name');
  if (text.startsWith('/')) throw createEntryViolation(text, 'has an absolute path');
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw createEntryViolation(text, 'has ".." in its path');
  const long = segments.find((segment) => Buffer.byteLength(segment) > SEGMENT_BYTES);
  if (long !== undefined) throw createEntryViolation(text, `has a name over ${SEGMENT_BYTES} bytes`);
  const path = segments.join('/');
  if (Buffer.byteLength(path) > maxBytes) throw createEntryViolation(text, `has a path over ${maxBytes} bytes`);
  return path;
}
