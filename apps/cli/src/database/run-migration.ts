import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createError, type ErrorCode } from '@berth/contract/errors';

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

const PROGRAM = fileURLToPath(new URL('../../../server/src/move-database/move-database-main.ts', import.meta.url));

/**
 * Moves the database of a stopped server into Postgres or back, in a process of the server's program. The URL is passed in its environment,
 * which other users can't read.
 * @throws BerthError as the server's program says
 */
export async function runMigration(options: RunMigrationOptions): Promise<MovedDatabase> {
  const { dataFolder, to, url, isDryRun, environment, signal, onProgress, onAdapted } = options;
  const child = spawn(process.execPath, [PROGRAM, dataFolder, to, ...(isDryRun ? ['--dry-run'] : [])], {
    env: { ...environment, BERTH_DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const ended = once(child, 'close');
  let moved: MovedDatabase | undefined;
  let failure: Error | undefined;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    if ('progress' in line) onProgress(line.progress);
    else if ('adapted' in line) onAdapted(line.adapted);
    else if ('moved' in line) moved = line.moved;
    else failure = createError(line.error.code, line.error.message);
  });
  await ended;
  if (moved) return moved;
  throw failure ?? createError('internal', 'The move of the database ended early. Run the command again: it goes on.');
}
