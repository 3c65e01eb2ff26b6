import { createError, type ErrorCode } from '@berth/contract/errors';
import { runServerProgram } from '../server-program/run-server-program.ts';

/** The result of a move of the database. Its shape is that of `apps/server/src/move-database/move-database.ts`. */
export interface MovedDatabase {
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly sha256?: string }[];
  /** The database that was moved. */
  readonly kept?: string;
}

/** Rows of a table that are copied. */
export interface MigrationProgress {
  readonly table: string;
  readonly copied: number;
  readonly rows: number;
}

/** A value that the other database can't hold as it was. */
export interface AdaptedValue {
  readonly table: string;
  readonly key: readonly unknown[];
  readonly column: string;
  readonly reason: string;
}

/** Options of {@link runMigration}. */
export interface RunMigrationOptions {
  readonly dataFolder: string;
  readonly to: 'postgres' | 'sqlite';
  readonly url: string;
  readonly isDryRun: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  onProgress(progress: MigrationProgress): void;
  onAdapted(value: AdaptedValue): void;
}

type Line =
  | { readonly progress: MigrationProgress }
  | { readonly adapted: AdaptedValue }
  | { readonly moved: MovedDatabase }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } };

/**
 * Moves the database of a stopped server into Postgres or back, in a process of the server's program. The URL is passed in its environment,
 * which other users can't read.
 * @throws BerthError as the server's program says
 */
export async function runMigration(options: RunMigrationOptions): Promise<MovedDatabase> {
  const { dataFolder, to, url, isDryRun, environment, signal, onProgress, onAdapted } = options;
  let moved: MovedDatabase | undefined;
  let failure: Error | undefined;
  await runServerProgram<Line>({
    program: 'move-database/move-database-main.ts',
    words: [dataFolder, to, ...(isDryRun ? ['--dry-run'] : [])],
    environment: { ...environment, BERTH_DATABASE_URL: url },
    signal,
    onLine(line) {
      if ('progress' in line) onProgress(line.progress);
      else if ('adapted' in line) onAdapted(line.adapted);
      else if ('moved' in line) moved = line.moved;
      else failure = createError(line.error.code, line.error.message);
    },
  });
  if (moved) return moved;
  throw failure ?? createError('internal', 'The move of the database ended early. Run the command again: it goes on.');
}
