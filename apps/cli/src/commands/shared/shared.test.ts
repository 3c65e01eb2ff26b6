import { answerJson } from '@berth/client/testing';
import { beforeEach, expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const bodies: unknown[] = [];
beforeEach(() => {
  bodies.length = 0;
  berth.server.on('POST /v1/env/shared/set', async (exchange) => {
    bodies.push(await exchange.json());
    await answerJson(200, {
      detail: 'The shared variables are set. New revisions start of: api.',
      deployments: [
        { name: 'api', deploy_id: 'dpl_1' },
        { name: 'later', deploy_id: null },
      ],
    })(exchange);
  });
});

test('shared set sends values and which are plain, and says which deploys apply them', async () => {
  const { code, stdout, stderr } = await berth.run(['shared', 'set', 'REGION=eu', 'ZONE=b', '--plain']);
  expect(code).toBe(0);
  expect(bodies).toEqual([{ set: { REGION: 'eu', ZONE: 'b' }, plain: ['REGION', 'ZONE'] }]);
  expect(stdout).toContain('New revisions start of: api.');
  expect(stderr).toContain('api: `berth follow dpl_1`');
  expect(stderr).not.toContain('later');
});

test('shared rm asks, and removes', async () => {
  await berth.run(['shared', 'rm', 'A', 'B', '-y']);
  expect(bodies).toEqual([{ unset: ['A', 'B'] }]);
});

test('shared ls shows values of plain variables, and who uses each', async () => {
  berth.server.on(
    'GET /v1/env/shared',
    answerJson(200, [
      { key: 'DB', updated_at: '2026-01-01T00:00:00Z', deployments: ['api', 'web'] },
      { key: 'REGION', updated_at: '2026-01-01T00:00:00Z', value: 'eu', deployments: [] },
    ]),
  );
  const { stdout } = await berth.run(['shared', 'ls']);
  expect(stdout).toMatch(/DB\s+\(secret\)\s+api, web/);
  expect(stdout).toMatch(/REGION\s+eu\s+-/);
});
