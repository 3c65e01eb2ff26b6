import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createBerth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { expectError } from '../harness/error-body.ts';
import { guideBlocks, openGuideShell } from '../harness/guide-shell.ts';
import { describeInBucket } from '../harness/in-bucket.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { databaseOf } from '../harness/test-database.ts';
import { waitFor } from '../harness/wait-for.ts';

describeInBucket('backups', 'BERTH_BACKUP_BUCKET', (place) => {
  it('are made by themselves, listed, downloaded, and restored', { timeout: 120_000 }, async () => {
    const { berth, server } = place;
    await waitFor('the first backup is in the bucket', async () => (await server.keys()).length === 1);
    expect(await server.keys()).toEqual([expect.stringMatching(/^berth\/backups\/berth-[\dTZ-]+\.tar\.zst$/)]);

    const name = uniqueName('kept');
    await deployed(berth, name, { files: greeter('kept') });
    // Names have seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    let backups: { name: string }[] = [];
    const folder = mkdtempSync(path.join(tmpdir(), 'berth-kept-'));
    try {
      const shell = openGuideShell(berth, folder);
      for (const block of guideBlocks('backups', 'sh', 'On a schedule, into a bucket').slice(1)) await shell.run(block);
      const listed = await cli(berth, ['admin', 'backups', 'ls', '--json']);
      backups = JSON.parse(listed.stdout);
      expect(backups).toMatchObject([{}, {}]);
      const file = path.join(folder, 'berth.tar.zst');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      await using restored = createBerth({ hasGeneratedKey: true });
      const env = await databaseOf(restored.dataFolder);
      expect(await cli(restored, ['admin', 'restore', file, restored.dataFolder], { env })).toMatchObject({ code: 0 });
      await restored.start();
      expect((await request(restored, name)).text).toBe('kept');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const doctor = await cli(berth, ['doctor', '--json']);
    expect(doctor.stdout).toContain('2 in the bucket');

    const answer = await berth.post('/v1/admin/accounts', { name: uniqueName('tenant') });
    const { key } = (await answer.json()) as { key: { secret: string } };
    for (const [method, route] of [
      ['GET', '/v1/admin/backups'],
      ['POST', '/v1/admin/backups'],
      ['GET', `/v1/admin/backups/${backups[0]?.name}`],
    ] as const) {
      await expectError(await berth.api(route, { method, headers: { 'X-API-Key': key.secret } }), 403);
    }
  });
});
