import { Agent, request as httpRequest } from 'node:http';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { testTarget } from '../testing/test-target.ts';
import { createWireFixture, httpProgram, type WireFixture } from '../testing/wire-fixture.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One request with Node's client; a broken one is status 0. */
function send(fixture: WireFixture, path: string, agent: Agent, body?: string): Promise<Answer> {
  return new Promise((resolve) => {
    const request = httpRequest(
      `${fixture.origin}${path}`,
      { agent, method: body === undefined ? 'GET' : 'POST', headers: { host: 'hello.test' } },
      async (response) => {
        let text = '';
        try {
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, text });
        } catch {
          resolve({ status: 0, text });
        }
      },
    );
    request.on('error', () => resolve({ status: 0, text: '' }));
    request.end(body);
  });
}

/** Sends requests over `clients` connections, one after another each, until told to stop. */
function createTraffic(fixture: WireFixture, clients: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const answers: Answer[] = [];
  let isRunning = true;
  const loops = Array.from({ length: clients }, async (_, index) => {
    while (isRunning) answers.push(await send(fixture, '/', agent, index % 2 === 0 ? undefined : 'body'));
  });
  return {
    answers,
    async stop() {
      isRunning = false;
      await Promise.all(loops);
      agent.destroy();
    },
  };
}

test('I9: deploys under load lose no request, and a stream goes on to its end', async () => {
  const streams: (() => void)[] = [];
  await using fixture = await createWireFixture({
    program: (revision) =>
      httpProgram((request, response) => {
        if (request.url === '/stream') {
          response.write(`begun by ${revision}`);
          streams.push(() => response.end(', ended'));
          return;
        }
        request.resume();
        request.on('end', () => setTimeout(() => response.end(revision), Math.random() * 10));
      }),
    target: { concurrency: 5 },
  });
  const agent = new Agent();
  const stream = send(fixture, '/stream', agent);
  await waitUntil('the stream has begun', () => streams.length === 1);
  const traffic = createTraffic(fixture, 12);
  for (let n = 2; n <= 6; n++) {
    await fixture.gateway.activate(testTarget({ revision: `rev-${n}`, concurrency: 5 }), {
      signal: new AbortController().signal,
    });
    const from = traffic.answers.length;
    await waitUntil('the new one serves', () => traffic.answers.length > from + 50);
    expect(traffic.answers.at(-1)?.text).toBe(`rev-${n}`);
  }
  await traffic.stop();
  expect(traffic.answers.filter(({ status }) => status !== 200)).toEqual([]);
  streams[0]?.();
  expect(await stream).toEqual({ status: 200, text: 'begun by rev-1, ended' });
  await waitUntil('the old ones are gone', () =>
    fixture.runtime.running.every(({ spec }) => spec.revision === 'rev-6'),
  );
  await waitUntil('all are recorded', () => fixture.requests.length > traffic.answers.length);
  expect(fixture.requests).toHaveLength(traffic.answers.length + 1);
});

test('crashes under load cost only the requests that were under way there', async () => {
  let served = 0;
  await using fixture = await createWireFixture({
    program: () =>
      httpProgram((request, response) => {
        request.resume();
        request.on('end', () => {
          served++;
          setTimeout(() => response.end('ok'), 5);
        });
      }),
    target: { concurrency: 5, maxInstances: 2 },
    policy: { startBackoffBaseMs: 5, startBackoffMaxMs: 20 },
  });
  const traffic = createTraffic(fixture, 8);
  await waitUntil('it serves', () => served > 50);
  let atStake = 0;
  for (let i = 0; i < 5; i++) {
    atStake += fixture.gateway.snapshot('hello')?.inFlight ?? 0;
    fixture.crash(fixture.runtime.running[0]!);
    const from = served;
    await waitUntil('it serves again', () => served > from + 50);
  }
  await traffic.stop();
  const bad = traffic.answers.filter(({ status }) => status !== 200);
  expect(bad.every(({ status }) => status === 502 || status === 0)).toBe(true);
  expect(bad.length).toBeLessThanOrEqual(atStake);
  await waitUntil('all slots are free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
  expect(fixture.gateway.snapshot('hello')).toMatchObject({ queued: 0 });
});

test('requests beyond what the instances take wait their turn; beyond the queue they are told to come back', async () => {
  const open: (() => void)[] = [];
  await using fixture = await createWireFixture({
    program: () => httpProgram((_request, response) => void open.push(() => response.end('ok'))),
    target: { concurrency: 2, maxInstances: 1 },
    policy: { queuePlacesPerSlot: 2 },
  });
  const agent = new Agent();
  const answers = [send(fixture, '/', agent), send(fixture, '/', agent)];
  await waitUntil('two are served', () => open.length === 2);
  for (let i = 0; i < 5; i++) answers.push(send(fixture, '/', agent));
  await waitUntil('the seventh is told', () => fixture.requests.length === 1);
  expect(fixture.requests[0]).toMatchObject({ status: 429 });
  expect(fixture.gateway.snapshot('hello')).toEqual({
    revision: 'rev-1',
    instances: 1,
    busy: 0,
    inFlight: 2,
    queued: 4,
  });
  expect([...fixture.gateway.loads()]).toEqual([
    { deployment: 'hello', inFlight: 2, queued: 4, busy: 0, instances: { ready: 1 } },
  ]);
  for (let i = 0; i < 6; i++) {
    await waitUntil('one more is served', () => open.length > i);
    open[i]?.();
  }
  const all = await Promise.all(answers);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(6);
});

test('a program that exits before it listens fails the activation, with how it ended', async () => {
  await using fixture = await createWireFixture({
    program: () => {
      return httpProgram(() => {});
    },
    target: null,
    probes: {
      port: async () => {
        fixture.runtime.instances[0]?.exit({ exitCode: 3 });
        return false;
      },
    },
  });
  const activation = fixture.gateway.activate(testTarget(), { signal: new AbortController().signal });
  await expect(activation).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('exited with code 3 before it listened'),
    details: { exit: { exitCode: 3 } },
  });
  expect(fixture.gateway.snapshot('hello')).toBeUndefined();
});

test('removing and closing are idempotent, and leave nothing', async () => {
  await using fixture = await createWireFixture({ program: () => httpProgram((_request, response) => response.end()) });
  await send(fixture, '/', new Agent());
  await Promise.all([fixture.gateway.remove('hello'), fixture.gateway.remove('hello')]);
  expect([...fixture.gateway.loads()]).toEqual([]);
  await fixture.gateway.remove('hello');
  expect(fixture.runtime.running).toEqual([]);
  await Promise.all([fixture.gateway.close(), fixture.gateway.close({ drainMs: 0 })]);
  expect((await send(fixture, '/', new Agent())).status).toBe(503);
});
