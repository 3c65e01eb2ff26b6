import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import type { DeployEvent } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { expect, test, vi } from 'vitest';
import { createDeployRun, type DeployRunClient } from './create-deploy-run.ts';

function tabStorage() {
  const map = new Map<string, string>();
  return {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  };
}

const EVENTS: readonly DeployEvent[] = [
  { status: 'BUILDING', message: 'Waiting', seq: 1, time: '2026-01-01T00:00:00Z', deploy_id: 'd1' },
  { status: 'BUILDING', message: 'npm ci\nadded 3', log: true, seq: 2, time: '2026-01-01T00:00:02Z', deploy_id: 'd1' },
  { status: 'DEPLOYING', message: 'Starting', seq: 3, time: '2026-01-01T00:00:05Z', deploy_id: 'd1' },
  { status: 'DONE', message: 'Ready', url: 'http://a', seq: 4, time: '2026-01-01T00:00:06Z', deploy_id: 'd1' },
];

async function* of(events: readonly DeployEvent[], error?: unknown) {
  yield* events;
  if (error !== undefined) throw error;
}

function clientOf(follow: DeployRunClient['followDeploy']) {
  const cancelled: unknown[] = [];
  const calls = createFakeCalls<ControlPaths>({
    'POST /v1/deploys/{deploy_id}/cancel': ({ path }) => void cancelled.push(path['deploy_id']),
  });
  return { ...calls, followDeploy: vi.fn(follow), cancelled };
}

test('shows a deploy from upload to address, with the time of each stage', async () => {
  const run = createDeployRun({ client: clientOf(() => of([])), storage: tabStorage() });
  const phases = new Set<string>();
  run.subscribe(() => run.state && phases.add(run.state.phase));
  run.begin('app', async function* ({ onProgress }) {
    onProgress({ sentBytes: 5, totalBytes: 10 });
    yield* EVENTS;
  });
  await vi.waitFor(() => expect(run.state?.phase).toBe('done'));
  expect([...phases]).toEqual(['sending', 'running', 'done']);
  expect(run.state).toMatchObject({ url: 'http://a', lines: ['npm ci', 'added 3'], sent: { sentBytes: 5 } });
  const stages = run.state?.stages.map(({ status, beganAtMs, endedAtMs = 0 }) => [status, endedAtMs - beganAtMs]);
  expect(stages).toEqual([
    ['BUILDING', 5_000],
    ['DEPLOYING', 1_000],
  ]);
});

test('follows the same deploy from its first event after a reload', async () => {
  const storage = tabStorage();
  const before = createDeployRun({ client: clientOf(() => of([])), storage });
  before.begin('app', () => of(EVENTS.slice(0, 2)));
  await vi.waitFor(() => expect(before.state?.deployId).toBe('d1'));

  const client = clientOf(() => of(EVENTS));
  const after = createDeployRun({ client, storage });
  after.resume();
  after.resume();
  await vi.waitFor(() => expect(after.state?.phase).toBe('done'));
  expect(client.followDeploy).toHaveBeenCalledExactlyOnceWith('d1', expect.objectContaining({ after: 0 }));
  expect(after.state).toMatchObject({ name: 'app', lines: ['npm ci', 'added 3'] });
  after.dismiss();
  expect(storage.getItem('berth.deploy')).toBeNull();
});

test("follows another session's deploy from its first event, once, and again after a reload", async () => {
  const storage = tabStorage();
  const client = clientOf(() => of(EVENTS));
  const run = createDeployRun({ client, storage });
  run.follow('app', 'd1');
  expect(run.state).toMatchObject({ name: 'app', phase: 'running', deployId: 'd1' });
  run.follow('app', 'd1');
  await vi.waitFor(() => expect(run.state?.phase).toBe('done'));
  expect(client.followDeploy).toHaveBeenCalledExactlyOnceWith('d1', expect.objectContaining({ after: 0 }));
  expect(JSON.parse(String(storage.getItem('berth.deploy')))).toEqual({ name: 'app', deployId: 'd1' });
});

test('resumes a lost deploy without repeating lines', async () => {
  const client = clientOf((_id, { after }) => of(EVENTS.filter(({ seq = 0 }) => seq > after)));
  const run = createDeployRun({ client, storage: tabStorage() });
  const gone = new BerthError({ code: 'unavailable', status: 503, message: 'gone' });
  run.begin('app', () => of(EVENTS.slice(0, 2), gone));
  await vi.waitFor(() => expect(run.state).toMatchObject({ phase: 'lost', error: gone }));
  run.resume();
  await vi.waitFor(() => expect(run.state?.phase).toBe('done'));
  expect(run.state?.lines).toEqual(['npm ci', 'added 3']);
});

test('a refused form has no deploy; a canceled upload is dropped; a canceled deploy reports it in its events', async () => {
  const client = clientOf(() => of([]));
  const run = createDeployRun({ client, storage: tabStorage() });
  const invalid = new BerthError({ code: 'invalid', status: 422, message: 'port' });
  run.begin('app', () => of([], invalid));
  await vi.waitFor(() => expect(run.state).toMatchObject({ phase: 'refused', error: invalid }));

  let signal: AbortSignal | undefined;
  run.begin('app', (options) => {
    signal = options.signal;
    return { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  });
  await run.cancel();
  expect([run.state, signal?.aborted]).toEqual([undefined, true]);
  expect(client.cancelled).toEqual([]);

  const end: DeployEvent = {
    status: 'ERROR',
    message: 'Cancelled',
    code: 'cancelled',
    logs: ['last'],
    time: '2026-01-01T00:00:03Z',
    deploy_id: 'd1',
  };
  run.begin('app', () => of([EVENTS[0] as DeployEvent, end]));
  await vi.waitFor(() => expect(run.state?.phase).toBe('failed'));
  expect(run.state).toMatchObject({ failure: { code: 'cancelled' }, lines: ['last'], stages: [{ hasFailed: true }] });
  await run.cancel();
  expect(client.cancelled).toEqual(['d1']);
});

test('ignores invalid data in the storage', () => {
  for (const text of ['', 'x', '{}', '{"name":1,"deployId":"d"}', 'null']) {
    const storage = tabStorage();
    storage.setItem('berth.deploy', text);
    const run = createDeployRun({ client: clientOf(() => of([])), storage });
    run.resume();
    expect(run.state).toBeUndefined();
  }
});
