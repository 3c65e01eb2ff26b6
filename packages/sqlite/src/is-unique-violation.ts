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
