import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { WAREHOUSE_MACROS } from './warehouse-macros.ts';

/** A statement that makes a relation; `values` are bound to `$1`, `$2`, …. */
export interface SetUpStatement {
  readonly sql: string;
  readonly values?: readonly string[];
}

/** What one caller's queries see. */
export interface SandboxOptions {
  /** Run in order before the doors are shut. */
  readonly setUp: readonly SetUpStatement[];
  /** The only files that can be read from then on. */
  readonly allowedPaths: readonly string[];
  readonly memoryBytes: number;
  readonly threads: number;
  /** Where sorts and groups that do not fit the memory may go; none: they fail. */
  readonly spillFolder?: { readonly path: string; readonly maxBytes: number };
}

/** A locked engine, in memory. */
export interface Sandbox {
  readonly connection: DuckDBConnection;
  close(): void;
}

/**
 * Opens an engine that has the caller's relations and nothing else: no file but theirs, no network, no extension, no setting. What
 * another account has is in no engine of this caller's.
 * Source: DuckDB, "Securing DuckDB".
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { spillFolder } = options;
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor(options.memoryBytes / 2 ** 20)}MiB`,
    threads: String(options.threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    max_temp_directory_size: `${Math.floor((spillFolder?.maxBytes ?? 0) / 2 ** 20)}MiB`,
    temp_directory: spillFolder?.path ?? '',
  });
  try {
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    for (const macro of WAREHOUSE_MACROS) await connection.run(macro);
    for (const { sql, values = [] } of options.setUp) await connection.run(sql, [...values]);
    const paths = options.allowedPaths.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ');
    await connection.run(`SET allowed_paths = [${paths}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return {
      connection,
      close() {
        connection.closeSync();
        instance.closeSync();
      },
    };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}
