import { setTimeout } from 'node:timers/promises';
import type { BrowserContextOptions } from 'playwright-core';
import { createBerth } from '../../tests/harness/berth.ts';
import type { Seeded } from './console-journeys.ts';
import { seedAudit, seedDeployments, seedLog, seedObjects } from './seed.ts';

const DEPLOYMENT = 'a-million';
const VOLUME = 'objects';
const PERSON = { name: 'Ada', email: 'ada@example.org', password: 'correct horse battery' };

/** How much a platform has. */
export interface Counts {
  readonly entries: number;
  readonly lines: number;
  readonly deployments: number;
  readonly objects: number;
}

/** A running platform with an owner who is signed in. */
interface SeededConsole extends AsyncDisposable {
  readonly url: string;
  readonly storageState: Exclude<BrowserContextOptions['storageState'], string | undefined>;
  readonly seeded: Seeded;
}

/** Starts a platform in a data folder of its own and fills it. Disposing of it removes the folder. */
export async function openSeededConsole(counts: Counts, say: (line: string) => void): Promise<SeededConsole> {
  const berth = createBerth();
  try {
    await berth.start();
    const token = /first-run#([\w-]+)/.exec(berth.output)?.[1];
    const url = `http://localhost:${berth.port}`;
    const first = await berth.post('/v1/auth/first-run', { ...PERSON, token }, { 'X-Berth-Browser': '1', Origin: url });
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(first.headers.getSetCookie()[0] ?? '') ?? [];
    if (!name || !value) throw new Error(`the first account was refused: ${first.status} ${await first.text()}`);
    const { account } = (await (await berth.api('/v1/user')).json()) as { account: { id: string } };
    const keys = (await (await berth.api('/v1/user/keys')).json()) as { id: string }[];
    await berth.post('/v1/volume/create', { name: VOLUME }, { 'X-API-Key': berth.key });
    await berth.stop();
    const seed = async (what: string, work: () => Promise<void>) => {
      const startedMs = performance.now();
      await work();
      say(`seeded ${what} in ${Math.round(performance.now() - startedMs)} ms`);
    };
    const { dataFolder } = berth;
    await seed(`${counts.entries} log entries`, () =>
      seedLog(dataFolder, { account: account.id, deployment: DEPLOYMENT }, counts.entries),
    );
    await seed(`${counts.lines} audit lines`, () =>
      seedAudit(dataFolder, { account: account.id, keyId: keys[0]?.id ?? '' }, counts.lines),
    );
    await seed(`${counts.deployments} deployments`, () => seedDeployments(dataFolder, account.id, counts.deployments));
    await seed(`${counts.objects} objects`, () => seedObjects(dataFolder, account.id, VOLUME, counts.objects));
    await berth.start();
    // After its start, a platform counts what is in its volumes.
    await seed('count of the objects', async () => {
      const count = async () => ((await (await berth.api('/v1/volume/list')).json()) as { object_count: number }[])[0];
      while ((await count())?.object_count !== counts.objects) await setTimeout(1_000);
    });
    const cookie = { name, value, domain: 'localhost', path: '/', expires: -1, httpOnly: true, secure: false };
    return {
      url,
      storageState: { cookies: [{ ...cookie, sameSite: 'Strict' }], origins: [] },
      seeded: { deployment: DEPLOYMENT, volume: VOLUME, objects: counts.objects },
      [Symbol.asyncDispose]: () => berth.close(),
    };
  } catch (error) {
    await berth.close();
    throw error;
  }
}
