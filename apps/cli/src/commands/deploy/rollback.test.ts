import { answerJson, createScriptedServer, deployEvent, type ScriptedServer } from '@berth/client/testing';
import type { RollbackPreview } from '@berth/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

let server: ScriptedServer;

const preview: RollbackPreview = {
  ...{ from: 'app-00002', to: 'app-00001', build: null, settings: [], schedule: null },
  ...{ volumes: [], created_volumes: [], variables: [] },
};

describe('a rollback', () => {
  const done = deployEvent(1, 'DONE', '', { url: 'http://app.localhost', revision: 'app-00001' });
  const rolledBack: unknown[] = [];
  beforeEach(async () => {
    rolledBack.length = 0;
    server = await createScriptedServer();
    server.on('POST /v1/deployment/rollback', async (exchange) => {
      rolledBack.push(await exchange.json());
      exchange.response.end(done);
    });
    return () => server.close();
  });

  // Fails when a change is left out, or the rollback begins before the answer.
  test('prints every change before it asks', async () => {
    const mount = { name: 'old', read_only: true, sub_path: 'sub' };
    const changed: RollbackPreview = {
      ...preview,
      build: { from: 'sha256:aa', to: 'sha256:bb' },
      settings: [
        { field: 'memory', from: '1Gi', to: '512Mi' },
        { field: 'health', from: null, to: { path: '/ready', interval: 10, timeout: 5 } },
      ],
      schedule: { from: { cron: '0 5 * * *', timezone: 'UTC' }, to: null },
      volumes: [{ mount_path: '/data', from: null, to: mount }],
      created_volumes: ['old'],
      variables: [
        { key: 'A', change: 'added' },
        { key: 'B', change: 'changed' },
        { key: 'C', change: 'removed' },
      ],
    };
    server.on('GET /v1/deployment/rollback/preview', answerJson(200, changed));
    const asked: string[] = [];
    const refused = await runInProcess(server, ['rollback', 'app'], {
      prompts: { confirm: async (question: string) => asked.push(question) < 1 },
    });
    expect([refused.code, asked, rolledBack]).toEqual([1, ['Roll app back to app-00001?'], []]);
    expect(refused.stderr.split('\n').map((line) => line.trim())).toEqual([
      '▲ Changes from app-00002 to app-00001:',
      'build: sha256:aa -> sha256:bb',
      'memory: 1Gi -> 512Mi',
      'health: none -> /ready every 10 s, timeout 5 s',
      'schedule: 0 5 * * * (UTC) -> none',
      'volume at /data: none -> old/sub (read-only)',
      'volume old was deleted: created empty',
      'variable A: set again',
      'variable B: earlier value',
      'variable C: not set',
      'Variables set since then stay saved and apply again with the next deploy.',
      '▲ Nothing was changed.',
      '',
    ]);
  });

  // Fails when a promotion goes another way than a rollback, or asks about another revision than the one named.
  test('and a promotion is the same with a revision', async () => {
    const asked: string[] = [];
    const queries: string[] = [];
    server.on('GET /v1/deployment/rollback/preview', (exchange) => {
      queries.push(new URL(exchange.request.url ?? '', 'http://x').search);
      return answerJson(200, { ...preview, from: 'app-00001', to: 'app-00002' })(exchange);
    });
    const { code } = await runInProcess(server, ['promote', 'app', 'app-00002'], {
      prompts: { confirm: async (question: string) => asked.push(question) > 0 },
    });
    expect([code, asked, queries]).toEqual([0, ['Make app-00002 live?'], ['?name=app&revision=app-00002']]);
    expect(rolledBack).toEqual([{ name: 'app', revision: 'app-00002' }]);
    expect((await runInProcess(server, ['promote', 'app'])).code).toBe(2);
  });

  // Fails when a script is asked, or goes to another revision than the one whose changes were printed.
  test('goes to the printed revision, without a question in a script', async () => {
    server.on('GET /v1/deployment/rollback/preview', answerJson(200, preview));
    const { code, stderr } = await runInProcess(server, ['rollback', 'app']);
    expect([code, rolledBack]).toEqual([0, [{ name: 'app', revision: 'app-00001' }]]);
    expect(stderr).toContain('app-00002 and app-00001 have the same build, settings, and variables.');
  });
});
