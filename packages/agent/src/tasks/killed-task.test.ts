import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createSystemClock } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';

const MAIN = path.join(import.meta.dirname, 'testing', 'killed-task-main.ts');
const LEASE_MS = 60_000;

// Fails when a claim isn't durable, when an expired lease isn't noticed, or when the next attempt doesn't ask the dead turn again.
test('a task whose process is killed in the middle of its turn ends on another instance', async () => {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-killed-task-'));
  const child = spawn(process.execPath, [MAIN, dataFolder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    const [id] = (await once(createInterface(child.stdout), 'line')) as [string];
    child.kill('SIGKILL');
    await ended;
    const system = createSystemClock();
    const attempts: number[] = [];
    await using agent = await openTestAgent({
      dataFolder,
      // The lease of the dead process is over.
      clock: { ...system, nowMs: () => system.nowMs() + LEASE_MS + 1_000 },
      async *handler() {
        yield 'All of it.';
      },
      prepare(agent) {
        agent.task('report', { retry: { minDelayMs: 0 } }, async (_input, { attempt, run }) => {
          attempts.push(attempt);
          return (await (await run({ message: 'Go' })).result).text;
        });
      },
    });
    const { tasks } = agent.agent;
    await waitUntil('the task has ended', async () => (await tasks.get(id)).endedAtMs !== undefined, 60_000);
    expect([attempts, (await tasks.get(id)).status, (await tasks.get(id)).result]).toEqual([
      [2],
      'succeeded',
      'All of it.',
    ]);
  } finally {
    child.kill('SIGKILL');
    await rm(dataFolder, { recursive: true, force: true });
  }
}, 120_000);
