import { BerthError } from '@berth/kit';

/** SQLite result codes that are not the query's fault, with their messages. Source: sqlite.org/rescode.html. */
const CONDITIONS: Readonly<Record<number, string>> = {
  5: 'Another process is writing to the database. Try again.',
  8: 'The database cannot be written: the file or its folder is read-only.',
  10: "The database's disk failed.",
  11: 'The database file is damaged; restore it from a backup.',
  13: 'The disk of the database is full.',
  26: 'The database file is damaged; restore it from a backup.',
};

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the WAL index could not be created. Source: sqlite.org/rescode.html. */
const FULL_CODES: ReadonlySet<unknown> = new Set([13, 4874]);

/** Returns true for an error of `node:sqlite` caused by a full disk. */
export function isDiskFull(error: unknown): boolean {
  return FULL_CODES.has((error as { errcode?: unknown } | null)?.errcode);
}

/**
 * Returns `unavailable` for an error of `node:sqlite` caused by the machine; returns one caused by the query as it is.
 */
export function toDatabaseError(error: unknown): unknown {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  // The low byte is the primary code; the other bits refine it.
  const message = typeof code === 'number' ? CONDITIONS[code & 0xff] : undefined;
  if (message === undefined) return error;
  return new BerthError({ code: 'unavailable', status: 503, isRetryable: true, message, cause: error });
}

/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY. Source: sqlite.org/rescode.html. */
const SQLITE_UNIQUE_CODES: readonly unknown[] = [2067, 1555];

/** SQLSTATE unique_violation. Source: the PostgreSQL manual, appendix A. */
const POSTGRES_UNIQUE_CODE = '23505';

/** Returns true for the error of an insert or update that would duplicate a key, in either dialect. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
  return SQLITE_UNIQUE_CODES.includes(errcode) || code === POSTGRES_UNIQUE_CODE;
}
