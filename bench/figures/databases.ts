import { findPostgres, startPostgres } from '../../packages/postgres/src/testing/start-postgres.ts';
import { type Berth, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { greeter } from '../../tests/harness/project-files.ts';
import { lacksServers, startServers } from '../../tests/harness/servers.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { quantile } from '../statistics.ts';

const CALLS = 400;
const CLIENTS = 4;
const DEPLOYS = 30;

/** Latency of the API, and deploys per minute: one server on SQLite, and one to three on Postgres, all on this machine. */
export async function measureDatabases({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const reason = lacksServers();
  if (reason !== undefined) throw new Error(reason);
  const size = isTenth ? 0.1 : 1;
  const figures: Figure[] = [];
  let sqlite: ReadonlyMap<string, number> | undefined;
  const add = async (place: string, all: readonly Berth[]) => {
    say(place);
    const measured = await measure(all, size);
    for (const [what, value] of measured) {
      const before = sqlite?.get(what);
      figures.push(figure(`${place}: ${what}`, value, what.startsWith('deploys') ? 'runs' : 'ms'));
      if (before !== undefined) figures.push(figure(`${place}: ${what}, ratio to SQLite`, value / before, 'ratio'));
    }
    sqlite ??= measured;
  };
  {
    await using berth = await startBerth();
    await add('SQLite', [berth]);
  }
  {
    await using stack = new AsyncDisposableStack();
    const postgres = stack.adopt(await startPostgres(findPostgres() as string, true), (one) => one.close());
    const berth = stack.use(await startBerth({ env: { BERTH_DATABASE_URL: postgres.url } }));
    await add('Postgres', [berth]);
  }
  for (const count of [1, 2, 3]) {
    await using servers = await startServers({ count, isSynced: true });
    await add(`Postgres and S3, ${count} ${count === 1 ? 'server' : 'servers'}`, servers.all);
  }
  return {
    figures,
    notes: [
      `${CLIENTS} clients, ${Math.round(CALLS * size)} calls each kind; deploys of a project without dependencies, three at a time, to new names.`,
      'Servers, Postgres (with synced commits), the S3 server and the clients share the cores of this machine, so more servers add little here.',
    ],
  };
}

async function measure(all: readonly Berth[], size: number): Promise<ReadonlyMap<string, number>> {
  const of = (index: number) => all[index % all.length] as Berth;
  const results = new Map<string, number>();
  const call = async (what: string, act: (index: number) => Promise<Response>) => {
    const timesMs: number[] = [];
    await spread(Math.round(CALLS * size), CLIENTS, async (index) => {
      const startedMs = performance.now();
      const answer = await act(index);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${what}: ${answer.status}`);
      timesMs.push(performance.now() - startedMs);
    });
    results.set(`${what}, median`, quantile(timesMs, 0.5));
    results.set(`${what}, p95`, quantile(timesMs, 0.95));
  };
  await call('list deployments', (index) => of(index).api('/v1/deployment/list'));
  await call('create a key', (index) => of(index).post('/v1/user/keys', { name: `k${index}`, scopes: ['read'] }));
  await call('set a variable', (index) =>
    of(index).post('/v1/env/set', { deployment_name: `env-${index % 20}`, set: { [`K${index}`]: 'v' } }),
  );
  const deploys = Math.max(3, Math.round(DEPLOYS * size));
  const startedMs = performance.now();
  await spread(deploys, 3, async (index) => {
    await deployed(of(index), `app-${index}`, { files: greeter('x'), fields: { memory: '128Mi' } });
  });
  results.set('deploys per minute', deploys / ((performance.now() - startedMs) / 60_000));
  return results;
}

/** Does `count` things, `atOnce` at a time. */
async function spread(count: number, atOnce: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await act(next++);
    }),
  );
}
