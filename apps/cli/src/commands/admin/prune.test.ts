import { answerJson, createScriptedServer, type Exchange } from '@berth/client/testing';
import type { PruneResult } from '@berth/contract';
import { expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

const result: PruneResult = {
  dry_run: false,
  removed: [
    { what: 'caches', count: 2, size_bytes: 2_048 },
    { what: 'images', count: 1, size_bytes: null },
    { what: 'volumes', count: 0, size_bytes: 0 },
  ],
  size_bytes: 2_048,
};

/** A server that prunes, and keeps what it was asked for. */
async function createServer() {
  const bodies: unknown[] = [];
  const server = await createScriptedServer({
    'POST /v1/admin/prune': async (exchange: Exchange) => {
      bodies.push(await exchange.json());
      await answerJson(200, result)(exchange);
    },
  });
  return { server, bodies, [Symbol.asyncDispose]: () => server.close() };
}

test('a dry run asks for the plan alone, and needs no terminal', async () => {
  await using fixture = await createServer();
  const { code, stdout, stderr } = await runInProcess(fixture.server, ['admin', 'prune', '--dry-run']);
  // Fails when `dry_run` is left out, or the table has rows of nothing.
  expect(fixture.bodies).toEqual([{ dry_run: true }]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/\n2 +2\.0 KiB +build caches\n1 +- +build images and stages/),
  ]);
  expect(stdout).not.toContain('deleted volumes');
  expect(stderr).toContain('2.0 KiB would be freed.');
  // Fails when -y wins over --dry-run.
  await runInProcess(fixture.server, ['admin', 'prune', '--dry-run', '-y']);
  expect(fixture.bodies).toEqual([{ dry_run: true }, { dry_run: true }]);
});

test('nothing is removed before a yes', async () => {
  await using fixture = await createServer();
  const prune = (answer: boolean) =>
    runInProcess(fixture.server, ['admin', 'prune'], { prompts: { confirm: async () => answer } });
  const no = await prune(false);
  expect([no.code, no.stderr]).toEqual([1, expect.stringContaining('about 2.0 KiB')]);
  expect(no.stderr).toContain('Nothing was changed.');
  // Fails when the answer isn't obeyed.
  expect(fixture.bodies).toEqual([{ dry_run: true }]);
  expect(await prune(true)).toMatchObject({ code: 0, stderr: expect.stringContaining('2.0 KiB freed.') });
  expect(fixture.bodies.slice(1)).toEqual([{ dry_run: true }, { dry_run: false }]);
});

test('without a terminal -y is needed, and then the plan is not asked for', async () => {
  await using fixture = await createServer();
  expect(await runInProcess(fixture.server, ['admin', 'prune'])).toMatchObject({ code: 2, stdout: '' });
  expect(fixture.bodies).toEqual([]);
  expect(await runInProcess(fixture.server, ['admin', 'prune', '-y', '--json'])).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify(result)}\n`,
    stderr: '',
  });
  expect(fixture.bodies).toEqual([{ dry_run: false }]);
});

test('reconcile fails when something differs, so that a schedule can tell', async () => {
  const row = { account: 'acc_1', day: '2026-01-01', resource: 'app', sku: 'requests', metered: 90, logged: 100 };
  await using server = await createScriptedServer({
    'GET /v1/admin/reconcile': answerJson(200, { checked: 3, off: [row] }),
  });
  const off = await runInProcess(server, ['admin', 'reconcile', '--from', '2026-01-01']);
  // Fails when money that was metered wrong is a success.
  expect([off.code, off.stdout]).toEqual([1, expect.stringMatching(/acc_1 +2026-01-01 +app +requests +90 +100/)]);
  expect(off.stderr).toContain('3 compared, 1 differ by more than 1 %.');
  expect(server.requests).toEqual(['GET /v1/admin/reconcile?from=2026-01-01']);
  server.on('GET /v1/admin/reconcile', answerJson(200, { checked: 3, off: [] }));
  expect(await runInProcess(server, ['admin', 'reconcile'])).toMatchObject({ code: 0, stdout: '' });
});
