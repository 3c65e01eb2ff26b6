import { randomBytes } from 'node:crypto';
import path from 'node:path';
import {
  findS3Server,
  type S3Server,
  startS3Server,
} from '../../packages/object-store/src/s3/testing/start-s3-server.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../../packages/postgres/src/testing/start-postgres.ts';
import { type Berth, createBerth, newKey } from './berth.ts';
import { forward, lacksCells, makeCells, type NetworkCell } from './network-cell.ts';

/** Several servers of one platform. */
export interface Servers extends AsyncDisposable {
  /** In the order of their start; each has a data folder of its own. */
  readonly all: readonly Berth[];
  readonly postgres: TestPostgres;
  readonly bucket: S3Server;
  /** The network of a server, when they have networks of their own. */
  cellOf(berth: Berth): NetworkCell;
}

/** Options of {@link startServers}. */
export interface ServersOptions {
  readonly count: number;
  /** More `BERTH_` settings of every server. */
  readonly env?: Readonly<Record<string, string>>;
  /** More words for the command line of each server. */
  readonly argsOf?: (index: number) => readonly string[];
  /** Gives each server a network namespace, whose cable can be pulled. Needs root. */
  readonly hasCells?: boolean;
  /** Commits of Postgres are synced to disk. */
  readonly isSynced?: boolean;
}

/** Why a machine can't run several servers; undefined when it can. */
export function lacksServers(hasCells = false): string | undefined {
  if (findPostgres() === undefined) return 'needs Postgres: apt-get install postgresql';
  if (findS3Server() === undefined)
    return 'needs an S3 server: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0';
  return hasCells ? lacksCells() : undefined;
}

/** Starts servers on one Postgres, one bucket and one master key. */
export async function startServers({
  count,
  env,
  argsOf = () => [],
  hasCells = false,
  isSynced,
}: ServersOptions): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startPostgres(findPostgres() as string, isSynced), (server) => server.close());
  const bucket = stack.adopt(await startS3Server(findS3Server() as string), (server) => server.close());
  const cells = hasCells ? stack.use(makeCells(count)) : undefined;
  let { url } = postgres;
  let { endpoint } = bucket.options;
  if (cells) {
    const folder = new URLSearchParams(url.slice(url.indexOf('?'))).get('host') as string;
    const database = stack.use(await forward(cells.hub, path.join(folder, '.s.PGSQL.5432')));
    const objects = stack.use(await forward(cells.hub, Number(new URL(endpoint).port)));
    url = `postgres://test@${cells.hub}:${database.port}/postgres`;
    endpoint = `http://${cells.hub}:${objects.port}`;
  }
  const shared = {
    BERTH_DATABASE_URL: url,
    BERTH_S3_BUCKET: bucket.options.bucket,
    BERTH_S3_ENDPOINT: endpoint,
    BERTH_S3_ACCESS_KEY_ID: bucket.options.credentials.accessKeyId,
    BERTH_S3_SECRET_ACCESS_KEY: bucket.options.credentials.secretAccessKey,
    BERTH_MASTER_KEY: randomBytes(32).toString('hex'),
    ...env,
  };
  const key = newKey();
  const all: Berth[] = [];
  for (let index = 0; index < count; index++) {
    const cell = cells?.cells[index];
    const berth = createBerth({
      key,
      env: shared,
      args: [...argsOf(index), ...(cell ? ['--host', '0.0.0.0'] : [])],
      ...(cell && { host: cell.address, launcher: cell.launcher }),
    });
    all.push(stack.adopt(berth, (one) => one.close()));
    await berth.start();
  }
  const kept = stack.move();
  return {
    all,
    postgres,
    bucket,
    cellOf: (berth) => cells?.cells[all.indexOf(berth)] as NetworkCell,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
