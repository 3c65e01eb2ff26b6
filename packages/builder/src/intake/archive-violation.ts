import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';

/** Maximum length of a name in a message. Names come from untrusted clients and may have 1,024 bytes. */
const SHOWN_CHARACTERS = 200;

/** Creates the `archive_invalid` error of one entry, with its name (escaped, shortened) and the reason. */
export function createEntryViolation(name: string, why: string): BerthError {
  const shown = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return createError('archive_invalid', `The archive's entry ${JSON.stringify(shown)} ${why}.`, {
    details: { entry: shown },
  });
}

/** Creates the `archive_invalid` error of a whole archive. */
export function createArchiveViolation(message: string, cause?: unknown): BerthError {
  return createError('archive_invalid', message, cause === undefined ? {} : { cause });
}
