import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openSandbox, type Sandbox } from './open-sandbox.ts';
import { runQuery, type SqlLimits } from './run-query.ts';
import type { SqlValue } from './to-json-value.ts';

export const TEST_LIMITS: SqlLimits = {
  timeoutMs: 20_000,
  memoryBytes: 256 * 2 ** 20,
  rows: 1_000,
  answerBytes: 2 ** 20,
};

/** A locked engine with six log entries and three billing rows. */
export interface SqlFixture extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly connection: DuckDBConnection;
  readonly folder: string;
  query(sql: string, limits?: Partial<SqlLimits>): Promise<Readonly<Record<string, SqlValue>>[]>;
}

const ENTRIES = `(VALUES
  ('2026-03-01T10:00:00.000000001Z', 'INFO',  'shop', 'shop-1', 'up',       NULL, NULL),
  ('2026-03-01T10:00:01Z', 'ERROR', 'shop', 'shop-1', NULL, '{"user":{"id":"u1"},"n":10,"items":[{"name":"a"},{"name":"b"}],"ok":true}', NULL),
  ('2026-03-01T10:00:02Z', 'INFO',  'shop', 'shop-1', NULL, '{"user":{"id":"u2"},"n":9,"ok":false}', NULL),
  ('2026-03-01T11:30:00Z', 'INFO',  'shop', 'shop-2', 'GET /', NULL, 200),
  ('2026-03-01T11:31:00Z', 'ERROR', 'shop', 'shop-2', 'GET /x', NULL, 500),
  ('2026-03-08T11:31:00Z', 'INFO',  'blog', 'blog-1', 'GET /', NULL, 200)
) AS e(time, severity, name, revision, text, json, status)`;

const SET_UP = [
  `CREATE TABLE logs AS SELECT
    time::TIMESTAMPTZ AS timestamp, severity, 'stdout' AS log_name, text AS text_payload, json::JSON AS json_payload,
    {'type': 'deployment', 'labels': {'service_name': name, 'revision_name': revision}::JSON} AS resource,
    CASE WHEN status IS NULL THEN NULL ELSE {'status': status, 'latency': status / 10.0} END AS http_request,
    NULL::VARCHAR AS trace, time AS insert_id
  FROM ${ENTRIES}`,
  `CREATE TABLE billing AS SELECT * FROM (VALUES
    ('2026-03-01T00:00:00Z'::TIMESTAMPTZ, {'description': 'CPU'}, {'name': 'shop'}, {'amount': 1.5, 'unit': 'vCPU-seconds'}, 0.5),
    ('2026-03-01T00:00:00Z'::TIMESTAMPTZ, {'description': 'Requests'}, {'name': 'shop'}, {'amount': 3, 'unit': 'requests'}, 0.25),
    ('2026-03-08T00:00:00Z'::TIMESTAMPTZ, {'description': 'CPU'}, {'name': 'blog'}, {'amount': 2, 'unit': 'vCPU-seconds'}, 0.25)
  ) AS b(usage_start_time, sku, resource, usage, cost)`,
];

export async function createSqlFixture(): Promise<SqlFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-sql-'));
  const sandbox = await openSandbox({
    allowedFolders: [],
    memoryBytes: TEST_LIMITS.memoryBytes,
    threads: 1,
  });
  await sandbox.setUp(SET_UP.map((sql, index) => ({ relation: String(index), sql })));
  const connection = await sandbox.connect();
  return {
    sandbox,
    connection,
    folder,
    async query(sql, limits) {
      const { signal } = new AbortController();
      return JSON.parse(await runQuery(connection, sql, { ...TEST_LIMITS, ...limits }, signal));
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
