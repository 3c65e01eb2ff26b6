import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { type Clock, createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { findPostgres, NO_POSTGRES, startPostgres } from '@berth/postgres/testing';
import { waitUntil } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { turnMessages } from '../turns/turn-messages.ts';
import { createRunEngine } from './create-run-engine.ts';
import { ALICE, follow } from './testing/run-fixture.ts';

const MAIN = path.join(import.meta.dirname, 'testing', 'blocked-turn-main.ts');
const WAIT_MS = 60_000;
const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

/** An instance in a process of its own, whose tool blocks its thread, and another one that looks at its run. */
async function openBlockedTurn(isPostgres: boolean) {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-blocked-'));
  const server = isPostgres ? await startPostgres(programs as string) : undefined;
  const child: ChildProcess = spawn(process.execPath, [MAIN, folder, ...(server ? [server.url] : [])], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  await waitUntil('the tool blocks', () => existsSync(path.join(folder, 'blocked')), WAIT_MS);
  const logger = createSilentLogger();
  const place = { dataFolder: folder, url: server?.url, agent: { name: 'helper', project: 'p' } };
  const stores = createSqlStores(await openAgentDatabase({ place, logger }));
  const system = createSystemClock();
  const time = { aheadMs: 0 };
  const clock: Clock = { ...system, nowMs: () => system.nowMs() + time.aheadMs };
  const engine = createRunEngine({
    ...{ store: stores.runs, clock, ids: createIdSource(), logger, instance: 'observer', finish: turnMessages },
  });
  return {
    child,
    exited,
    stores,
    engine,
    time,
    heartbeatAtMs: async () => (await stores.runs.findLast(ALICE, 'c1'))?.heartbeatAtMs ?? 0,
    unblock: () => writeFileSync(path.join(folder, 'go'), ''),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await engine.close();
      await stores.close();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const databases = [['SQLite', false], ...(programs ? [['Postgres', true] as const] : [])] as const;

describe.each(databases)('on %s', (_name, isPostgres) => {
  // Fails when the thread that runs the turn writes the heartbeats: they stop while a tool blocks it.
  test('a turn whose tool blocks its thread stays alive, and is stored once, as it was read', async () => {
    await using turn = await openBlockedTurn(isPostgres);
    const seen = await follow(turn.engine);
    await waitUntil('what came before is read', () => seen.text === 'before ', WAIT_MS);
    for (let beats = 0; beats < 3; beats++) {
      const last = await turn.heartbeatAtMs();
      await waitUntil('there is another heartbeat', async () => (await turn.heartbeatAtMs()) > last, WAIT_MS);
    }
    await turn.engine.reconcile(ALICE, 'c1');
    expect((await turn.stores.runs.findLast(ALICE, 'c1'))?.status).toBe('running');
    turn.unblock();
    await waitUntil('the turn ends', () => seen.end !== undefined, WAIT_MS);
    expect([seen.text, seen.end, await turn.exited]).toEqual(['before after', 'done', [0, null]]);
    const messages = await turn.stores.chats.messages(ALICE, 'c1');
    expect(messages.map(({ content }) => content)).toEqual(['hello', 'before after']);
  }, 180_000);

  // Fails when heartbeats outlive the process, e.g. from a process of their own.
  test('the heartbeats of a killed process end with it', async () => {
    await using turn = await openBlockedTurn(isPostgres);
    const first = await turn.heartbeatAtMs();
    await waitUntil('there is another heartbeat', async () => (await turn.heartbeatAtMs()) > first, WAIT_MS);
    turn.child.kill('SIGKILL');
    await turn.exited;
    const seen = await follow(turn.engine);
    turn.time.aheadMs = AGENT_LIMITS.staleMs + 1_000;
    await waitUntil('the turn reads as ended', () => seen.end !== undefined, WAIT_MS);
    expect([seen.text, seen.end]).toEqual(['before ', 'interrupted']);
    const messages = await turn.stores.chats.messages(ALICE, 'c1');
    expect(messages.map(({ content, status }) => [content, status])).toEqual([
      ['hello', undefined],
      ['before ', 'interrupted'],
    ]);
  }, 180_000);
});
