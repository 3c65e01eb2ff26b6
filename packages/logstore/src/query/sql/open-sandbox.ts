import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { WAREHOUSE_MACROS } from './warehouse-macros.ts';

/** A statement that creates or replaces a relation; `values` are bound to `$1`, `$2`, …. */
export interface SetUpStatement {
  readonly relation: string;
  readonly sql: string;
  readonly values?: readonly string[];
}

/** Data that the queries of one account can see. */
export interface SandboxOptions {
  /** The only folders whose files can be read. They contain only files of the account. */
  readonly allowedFolders: readonly string[];
  readonly memoryBytes: number;
  readonly threads: number;
}

/** A locked-down, in-memory DuckDB instance. */
export interface Sandbox {
  /** Creates the account's relations; unchanged ones cost nothing. @throws DuckDB's error. */
  setUp(statements: readonly SetUpStatement[]): Promise<void>;
  /** Opens a connection for one query, so that nothing of a query is left for the next. The caller closes it. */
  connect(): Promise<DuckDBConnection>;
  /** Idempotent. */
  close(): void;
}

/**
 * Opens a DuckDB instance that sees the account's relations and nothing else: no other file, no network, no extension,
 * no setting. Accounts never share an instance.
 * Source: DuckDB, "Securing DuckDB".
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor(options.memoryBytes / 2 ** 20)}MiB`,
    threads: String(options.threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    // Without a folder to spill to, sorts and groups that do not fit in memory fail.
    max_temp_directory_size: '0MiB',
    temp_directory: '',
  });
  const made = new Map<string, string>();
  let isClosed = false;
  const connection = await instance.connect();
  /** Connections that are being opened, by a thread that must not outlive the instance. */
  let connecting = 0;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    connection.closeSync();
    if (connecting === 0) instance.closeSync();
  };
  const connect = async () => {
    connecting++;
    try {
      return await instance.connect();
    } finally {
      connecting--;
      if (isClosed && connecting === 0) instance.closeSync();
    }
  };
  try {
    await connection.run("SET GLOBAL TimeZone = 'UTC'");
    // As in cloud warehouses, where NULL sorts before every value.
    await connection.run("SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc'");
    // Caches the footers of Parquet files, which never change.
    await connection.run('SET GLOBAL parquet_metadata_cache = true');
    // The operating system caches the rest of them; a second copy would fill the memory limit.
    await connection.run('SET GLOBAL enable_external_file_cache = false');
    for (const macro of WAREHOUSE_MACROS) await connection.run(macro);
    const folders = options.allowedFolders.map((folder) => `'${folder.replaceAll("'", "''")}'`).join(', ');
    await connection.run(`SET allowed_directories = [${folders}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return {
      async setUp(statements) {
        for (const { relation, sql, values = [] } of statements) {
          const text = JSON.stringify([sql, values]);
          if (made.get(relation) === text) continue;
          made.delete(relation);
          await connection.run(sql, [...values]);
          made.set(relation, text);
        }
      },
      async connect() {
        // DuckDB would crash.
        if (isClosed) throw new Error('the engine has ended');
        return connect();
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
