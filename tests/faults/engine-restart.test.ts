import path from 'node:path';
import { openEngine, parseEngineAddress } from '@berth/runtime-docker';
import { expect, it } from 'vitest';
import { startEngine, stopEngine } from '../../tools/test-engine/engine.ts';
import { startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { dockerSettings, TEST_ENGINE } from '../harness/runtime.ts';
import { waitFor } from '../harness/wait-for.ts';

it('an engine that goes away in the middle of traffic and comes back costs what was running and no more', async (context) => {
  await needs(context, 'engine');
  const address = parseEngineAddress(TEST_ENGINE);
  const folder = path.dirname(address.socketPath);
  await using berth = await startBerth({ env: dockerSettings() });
  const name = uniqueName('engine');
  await deployed(berth, name, { files: probe() });
  const ask = () => request(berth, name, '/who');
  expect(await ask()).toMatchObject({ status: 200, text: expect.stringContaining('uid') });

  let isOver = false;
  const statuses = new Set<number>();
  const traffic = (async () => {
    while (!isOver) {
      const { status } = await ask().catch(() => ({ status: 0 }));
      statuses.add(status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    await stopEngine(folder, { isForGood: false });
    await waitFor('a refusal that names the engine', async () => {
      const answer = await ask();
      return answer.status === 503 && answer.text.includes('Docker engine');
    });
    // The platform itself goes on.
    expect((await berth.api('/readyz')).status).toBe(200);
  } finally {
    await startEngine(folder);
  }
  await waitFor('an answer', async () => (await ask()).status === 200);
  isOver = true;
  await traffic;
  // Refusals, and connections of containers that were ended: never an answer of another kind, and never a broken platform.
  expect([...statuses].filter((status) => ![200, 502, 503].includes(status))).toEqual([]);
  const { docker } = await openEngine(address);
  await waitFor('the dead containers are gone', async () => {
    const all = await docker.listContainers({ all: true, filters: { label: [`berth.deployment=${name}`] } });
    return all.length > 0 && all.every(({ State }) => State === 'running' || State === 'created');
  });
});
