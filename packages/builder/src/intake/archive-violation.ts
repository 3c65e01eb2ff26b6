import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';

/** Characters of a name shown in a message; names may be 1,024 bytes long and come from strangers. */
const SHOWN_CHARACTERS = 200;

/** The `archive_invalid` of one entry: names it (escaped, shortened) and says why. */
export function createEntryViolation(name: string, why: string): BerthError {
  const shown = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return createError('archive_invalid', `The archive's entry ${JSON.stringify(shown)} ${why}.`, {
    details: { entry: shown },
  });
}

/** The `archive_invalid` of the archive as a whole. */
export function createArchiveViolation(message: string, cause?: unknown): BerthError {
  return createError('archive_invalid', message, cause === undefined ? {} : { cause });
}
