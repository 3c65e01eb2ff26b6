import { createError } from '@berth/contract/errors';
import { runServerProgram, type ServerProgram } from '../server-program/run-server-program.ts';

/** A listed object that is not in its bucket as it was. */
export interface ObjectProblem {
  readonly bucket: string;
  readonly key: string;
  readonly problem: 'missing' | 'changed';
}

/** A line of the server's program. Its shape is that of `apps/server/src/backup/restore-state-main.ts`. */
type RestoredLine =
  | { readonly kind: 'database'; readonly database: 'postgres' | 'sqlite'; readonly rows: number }
  | ({ readonly kind: 'object' } & ObjectProblem)
  | { readonly kind: 'objects'; readonly bucket: string; readonly compared: number };

/** Options of {@link restoreState}. */
export interface RestoreStateOptions extends Pick<ServerProgram<RestoredLine>, 'environment' | 'signal'> {
  /** An extracted backup. */
  readonly folder: string;
  /** Compares buckets with the lists of the backup. */
  readonly isVerifying: boolean;
  /** Leaves the database of BERTH_DATABASE_URL as it is. */
  readonly keepsDatabase: boolean;
}

/** The result of {@link restoreState}. */
export interface RestoredState {
  readonly database?: 'postgres' | 'sqlite';
  readonly rows: number;
  /** Number of objects that were compared. */
  readonly compared: number;
  readonly problems: readonly ObjectProblem[];
}

/** Loads the tables of an extracted backup into its database. @throws BerthError `unavailable` when that fails; nothing is changed then */
export async function restoreState({
  folder,
  isVerifying,
  keepsDatabase,
  ...options
}: RestoreStateOptions): Promise<RestoredState> {
  const problems: ObjectProblem[] = [];
  const state: { database?: 'postgres' | 'sqlite'; rows: number; compared: number } = { rows: 0, compared: 0 };
  const isDone = await runServerProgram<RestoredLine>({
    ...options,
    program: 'backup/restore-state-main.ts',
    words: [folder, ...(isVerifying ? ['--verify'] : []), ...(keepsDatabase ? ['--keep-database'] : [])],
    onLine(line) {
      if (line.kind === 'database') Object.assign(state, { database: line.database, rows: line.rows });
      else if (line.kind === 'objects') state.compared += line.compared;
      else problems.push({ bucket: line.bucket, key: line.key, problem: line.problem });
    },
  });
  if (isDone) return { ...state, problems };
  throw createError('unavailable', 'The database could not be restored; nothing was changed. The reason is above.');
}
