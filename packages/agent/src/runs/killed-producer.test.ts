import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { type Clock, createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { turnMessages } from '../turns/turn-messages.ts';
import { createRunEngine } from './create-run-engine.ts';
import { ALICE, type Collected, follow } from './testing/run-fixture.ts';

const MAIN = path.join(import.meta.dirname, 'testing', 'endless-turn-main.ts');

test('kill -9 of a producing process leaves its text, which reads interrupted, and a chat that goes on', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-killed-'));
  const child = spawn(process.execPath, [MAIN, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const logger = createSilentLogger();
  const stores = createSqlStores(await openAgentSqlite(folder, logger));
  // What would take 30 s to be taken for dead is so at once, when the test says so.
  let aheadMs = 0;
  const system = createSystemClock();
  const clock: Clock = { ...system, nowMs: () => system.nowMs() + aheadMs };
  const engine = createRunEngine({
    store: stores.runs,
    clock,
    ids: createIdSource(),
    logger,
    instance: 'survivor',
    finish: turnMessages,
  });
  try {
    await waitUntil('the turn has begun', async () => (await stores.runs.findLast(ALICE, 'c1')) !== undefined, 60_000);
    const seen: Collected = await follow(engine);
    await waitUntil('it is followed from here', () => seen.frames.length > 5, 60_000);
    child.kill('SIGKILL');
    await ended;
    expect(seen.end).toBeUndefined();
    const seenBefore = seen.text;
    aheadMs = AGENT_LIMITS.staleMs + AGENT_LIMITS.heartbeatMs + 1;
    await waitUntil('it reads as ended', () => seen.end !== undefined);
    expect(seen.end).toBe('interrupted');
    const [question, answer, ...more] = await stores.chats.messages(ALICE, 'c1');
    expect(more).toEqual([]);
    expect(question?.content).toBe('hello');
    expect(answer).toMatchObject({ content: seen.text, status: 'interrupted' });
    expect(seen.text.startsWith(seenBefore)).toBe(true);
    // Counted without a gap, from the first.
    const numbers = seen.text.trim().split(' ').map(Number);
    expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
    expect(await follow(engine)).toBeDefined();
  } finally {
    child.kill('SIGKILL');
    await engine.close();
    await stores.close();
    await rm(folder, { recursive: true, force: true });
  }
}, 180_000);
