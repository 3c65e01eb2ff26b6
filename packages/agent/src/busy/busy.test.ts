import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BUSY_PATH, REPLACED_HEADER } from '@berth/contract/busy';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { expect, test, vi } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

// Holds the agent to the contract: verifies('agent.busy')

/** Returns whether any instance is busy. Two requests reach both in the lane with two instances. */
async function isBusy(agent: TestAgent): Promise<boolean> {
  const bodies = await Promise.all([1, 2].map(async () => (await agent.call(undefined, 'GET', BUSY_PATH)).text()));
  return bodies.includes('{"busy":true}');
}

// Fails when openAgent doesn't add the engine's runs to the work, or the engine forgets a run whose readers left.
test('a detached turn whose reader left is work until it ends, and nobody needs a token to ask', async () => {
  const gate = Promise.withResolvers<void>();
  await using agent = await openTestAgent({
    async *handler() {
      yield 'begun';
      await gate.promise;
    },
  });
  expect(await isBusy(agent)).toBe(false);
  const body = { messages: [{ role: 'user', content: 'go' }], detach: true };
  const response = await agent.call('alice', 'POST', '/?id=c1', body);
  await response.body?.cancel();
  expect(await isBusy(agent)).toBe(true);
  gate.resolve();
  await vi.waitFor(async () => expect(await isBusy(agent)).toBe(false));
});

// Fails when the answer tells more than whether there is work, a cache may keep it, or each of the platform's questions is a line of the log.
test('the answer tells nothing but whether there is work', async () => {
  const lines: string[] = [];
  await using agent = await openTestAgent({ hasAuth: false, logger: createRecordingLogger(lines) });
  const pending = Promise.withResolvers<void>();
  agent.agent.waitUntil(pending.promise);
  const response = await agent.call(undefined, 'GET', BUSY_PATH);
  expect([response.headers.get('cache-control'), await response.text()]).toEqual(['no-store', '{"busy":true}']);
  expect(lines.filter((line) => line.includes(BUSY_PATH))).toEqual([]);
  pending.resolve();
});

// Fails when waitUntil doesn't remove a promise that rejected, or swallows the rejection.
test('work that fails is over, and in the log', async () => {
  const lines: string[] = [];
  await using agent = await openTestAgent({ hasAuth: false, logger: createRecordingLogger(lines) });
  agent.agent.waitUntil(Promise.reject(new Error('no room on the disk')));
  await vi.waitFor(async () => expect(await isBusy(agent)).toBe(false));
  expect(lines.join('\n')).toContain('no room on the disk');
});

// Fails when close doesn't wait for the work, or waits longer than it may.
test('close waits for the work, for as long as it may', async () => {
  const endings: string[] = [];
  for (const drainMs of [60_000, 8_000]) {
    const clock = createFakeClock();
    await using agent = await openTestAgent({ hasAuth: false, clock });
    const note = (what: string) => () => void endings.push(`${what} of ${drainMs}`);
    agent.agent.waitUntil(clock.sleep(30_000).then(note('work')));
    const closed = agent.agent.close({ drainMs }).then(note('end'));
    for (let second = 0; second < 40; second++) await clock.elapse(1_000);
    await closed;
  }
  expect(endings).toEqual(['work of 60000', 'end of 60000', 'end of 8000', 'work of 8000']);
});

// Fails when a replaced agent goes on with tasks, or strangers can stop those of an agent that no gateway protects.
test.each([
  ['on the platform', { K_SERVICE: 'agent' }, 'pending'],
  ['elsewhere', {}, 'succeeded'],
])('an agent %s that is told to be replaced leaves a task %j: %s', async (_where, environment, status) => {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-replaced-'));
  const volumes = { BERTH_VOLUMES: JSON.stringify({ [dataFolder]: { name: 'data', read_only: false, sub_path: '' } }) };
  const clock = createFakeClock();
  await using agent = await openTestAgent({
    ...{ hasAuth: false, clock, dataFolder, environment: { ...environment, ...volumes } },
    prepare: (one) => void one.task('work', {}, async () => 'done'),
  });
  const { tasks } = agent.agent;
  await (await agent.call(undefined, 'GET', BUSY_PATH, undefined, { [REPLACED_HEADER]: '1' })).text();
  const { id } = await tasks.enqueue('work', undefined);
  /** Lets the engine look for due tasks some times. */
  const look = async () => {
    for (let second = 0; second < 20; second++) await clock.elapse(1_000);
    return (await tasks.get(id)).status;
  };
  await vi.waitFor(async () => expect(await look()).toBe(status));
  await rm(dataFolder, { recursive: true, force: true });
});
