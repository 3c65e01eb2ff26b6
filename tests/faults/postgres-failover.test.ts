import type { DeployEvent } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from '../../packages/postgres/src/testing/start-postgres.ts';
import { type Berth, startBerth } from '../harness/berth.ts';
import { deployed, openDeploy, readDeployStream } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { readOperations, sendOperation } from '../harness/open-api.ts';
import { startLoad } from '../harness/open-loop.ts';
import { greeter, type ProjectFiles } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

const programs = findPostgres();

/** Times that Postgres is killed under load. */
const KILLS = 10;
/** Writes that are acknowledged between two kills, of each kind. */
const WRITES = 3;

/** A version whose build prints for 3 s. */
const slowBuild: ProjectFiles = {
  ...greeter('built'),
  'b.js': `console.log('build runs');
    const timer = setInterval(() => console.log('still'), 50);
    setTimeout(() => clearInterval(timer), 3_000);`,
  'berth.json': JSON.stringify({ build: ['node b.js'] }),
};

describe.skipIf(!programs || process.platform !== 'linux')('while Postgres is killed and restarted', () => {
  let postgres: TestPostgres;
  let berth: Berth;
  beforeAll(async () => {
    postgres = await startPostgres(programs as string);
    berth = await startBerth({ env: { BERTH_DATABASE_URL: postgres.url } });
  });
  afterAll(async () => {
    await berth?.close();
    await postgres?.close();
  });

  const isBack = () => waitFor('the API answers', async () => (await berth.api('/v1/volume/list')).status === 200);

  // Fails when a commit is acknowledged before it is safe, when a failed write is answered as something else than 503, or when the gateway
  // needs the database.
  it('nothing acknowledged is lost, failures are 503 with Retry-After, and services serve', async () => {
    const service = uniqueName('steady');
    await deployed(berth, service, { files: greeter('steady') });
    const load = startLoad(berth, { service, requestsPerSecond: 50, isKeptAlive: true });
    const names = [uniqueName('env'), uniqueName('env')];
    const writers = {
      key: (name: string) => berth.post('/v1/user/keys', { name, scopes: ['read'] }),
      volume: (name: string) => berth.post('/v1/volume/create', { name }),
      // Two writers of one deployment, which conflict.
      first: (name: string) => berth.post('/v1/env/set', { deployment_name: names[0], set: { [name]: 'x' } }),
      second: (name: string) => berth.post('/v1/env/set', { deployment_name: names[0], set: { [name]: 'x' } }),
      other: (name: string) => berth.post('/v1/env/set', { deployment_name: names[1], set: { [name]: 'x' } }),
      // Of the program that runs: new revisions with new settings.
      deploy: (name: string) =>
        berth.post('/v1/deployment/redeploy', { name: service, concurrency: 10 + (name.length % 2) }),
    };
    const acknowledged = new Map<string, string[]>(Object.keys(writers).map((kind) => [kind, []]));
    const wrong: string[] = [];
    let refusals = 0;
    let isOver = false;
    const write = async (kind: keyof typeof writers) => {
      for (let count = 0; !isOver; count++) {
        const name = kind === 'key' || kind === 'volume' ? `${kind}-${count}` : `${kind.toUpperCase()}_${count}`;
        const answer = await writers[kind](name);
        if (answer.ok && kind === 'deploy') {
          // Its stream may break with the database; what it said before holds. Its end is read at once: the newest 20 deploys are kept.
          const stream = readDeployStream(answer);
          const first = await stream.until(() => true).catch(() => undefined);
          // Cut off before it said anything.
          if (first === undefined) continue;
          const { deploy_id } = first;
          acknowledged.get(kind)?.push(deploy_id);
          await stream.finish().catch(() => {});
          const { status, message } = await endOf(berth, deploy_id);
          if (status !== 'DONE') wrong.push(`deploy ${deploy_id}: ${status} ${message}`);
          continue;
        }
        const text = await answer.text();
        if (answer.ok) acknowledged.get(kind)?.push(name);
        else if (answer.status === 503 && /^\d+$/.test(answer.headers.get('retry-after') ?? '')) refusals++;
        else wrong.push(`${kind}: ${answer.status} ${text.slice(0, 200)}`);
        // An account has a limited number of keys.
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    const writing = (Object.keys(writers) as (keyof typeof writers)[]).map(write);
    const backMs: number[] = [];
    try {
      for (let kill = 1; kill <= KILLS; kill++) {
        const enough = new Map(
          [...acknowledged].map(([kind, list]) => [kind, list.length + (kind === 'deploy' ? 1 : WRITES)]),
        );
        for (const [kind, count] of enough) {
          const isEnough = () => wrong.length > 0 || (acknowledged.get(kind)?.length ?? 0) >= count;
          await waitFor(`${kind} was acknowledged before kill ${kill}`, isEnough, { timeoutMs: 60_000 });
        }
        const before = refusals;
        await postgres.kill();
        await waitFor('writes are refused', () => refusals > before);
        await postgres.start();
        const startedMs = performance.now();
        await isBack();
        backMs.push(Math.round(performance.now() - startedMs));
      }
    } finally {
      isOver = true;
      await Promise.all(writing);
    }
    expect(wrong).toEqual([]);
    console.log(`the API was back ${backMs.join(', ')} ms after Postgres; ${refusals} writes were refused`);
    const lists = await readLists(berth, names);
    const list = (kind: string) => acknowledged.get(kind) ?? [];
    expect(lists.keys).toEqual(expect.arrayContaining(list('key')));
    expect(lists.volumes).toEqual(expect.arrayContaining(list('volume')));
    expect(lists.variables[0]).toEqual(expect.arrayContaining([...list('first'), ...list('second')]));
    expect(lists.variables[1]).toEqual(expect.arrayContaining(list('other')));
    const served = await load.stop();
    expect(served.failures).toEqual([]);
  });

  // Fails when a step of a deploy isn't retried, or when its output fills the memory or is lost.
  it('a deploy that is building goes on after 5 s without Postgres', async () => {
    const name = uniqueName('patient');
    const stream = await openDeploy(berth, name, { files: slowBuild });
    const { deploy_id } = await stream.until((event) => event.message === 'build runs');
    await postgres.kill();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await postgres.start();
    await isBack();
    expect(await endOf(berth, deploy_id)).toMatchObject({ status: 'DONE' });
    expect((await request(berth, name)).text).toBe('built');
  });

  // Fails when a route passes on the driver's error, or answers as if nothing were there.
  it('every route answers 503 with Retry-After, or what it knows without the database', async () => {
    const operations = await readOperations(berth);
    await postgres.stop();
    const wrong: string[] = [];
    let refused = 0;
    for (const operation of operations.filter(({ needsCredential }) => needsCredential)) {
      const answer = await sendOperation(berth, operation, {}, { 'X-API-Key': berth.key });
      await answer.body?.cancel();
      if (answer.status === 503 && answer.headers.has('retry-after')) refused++;
      else if (answer.status >= 500 || answer.ok) wrong.push(`${operation.id}: ${answer.status}`);
    }
    await postgres.start();
    await isBack();
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(10);
    // Background work says once that the database is away.
    const lines = berth.output.split('\n').filter((line) => line.includes('database can'));
    expect(lines.length).toBeLessThan(20);
  });
});

/** Returns the last event of a deploy, when it has ended and the database is there. */
async function endOf(berth: Berth, deployId: string): Promise<DeployEvent> {
  for (;;) {
    const answer = await berth.api(`/v1/deploys/${deployId}/events`);
    if (answer.status === 503) await answer.body?.cancel();
    else {
      expect(answer.status).toBe(200);
      const read = await readDeployStream(answer)
        .finish()
        .catch(() => undefined);
      if (read?.last.status === 'DONE' || read?.last.status === 'ERROR') return read.last;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function readLists(berth: Berth, deployments: readonly string[]) {
  const read = async <Row>(route: string) => (await (await berth.api(route)).json()) as Row[];
  return {
    keys: (await read<{ name: string }>('/v1/user/keys')).map(({ name }) => name),
    volumes: (await read<{ name: string }>('/v1/volume/list')).map(({ name }) => name),
    variables: await Promise.all(
      deployments.map(async (name) => (await read<{ key: string }>(`/v1/env/list?name=${name}`)).map(({ key }) => key)),
    ),
  };
}
