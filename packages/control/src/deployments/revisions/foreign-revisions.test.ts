import { createRecordingLogger } from '@berth/testkit';
import { expect, it } from 'vitest';
import { createPlatform } from '../deploys/testing/platform.ts';

it('tells who runs the server what another runtime built, and is silent once it is deployed again', async () => {
  const lines: string[] = [];
  await using platform = await createPlatform({ logger: createRecordingLogger(lines) });
  await platform.boot();
  await platform.deploy('shop');
  await platform.deploy('other');
  expect(await platform.run.deployments.capabilities()).toEqual([]);

  const artifact = JSON.stringify({ kind: 'image', reference: 'sha256:1', name: 'berth/shop:1' });
  await platform.run.db.updateTable('revisions').set({ artifact }).where('deployment', '=', 'shop').execute();
  await platform.kill();
  await platform.boot();
  const warnings = () => lines.filter((line) => line.includes('"warn"') && line.includes('--runtime docker'));
  expect(warnings()).toHaveLength(1);
  expect(warnings()[0]).toContain('["shop"]');
  expect(await platform.run.deployments.capabilities()).toMatchObject([
    { status: 'missing', detail: expect.stringContaining('1 deployment was built for the docker runtime') },
  ]);

  expect((await platform.deploy('shop')).at(-1)).toMatchObject({ status: 'DONE' });
  expect(await platform.run.deployments.capabilities()).toEqual([]);
});
