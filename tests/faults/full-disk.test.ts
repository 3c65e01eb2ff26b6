import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Berth, createBerth } from '../harness/berth.ts';
import { deployed, postDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Mounting takes root, as which CI runs. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canMount)('on a full disk (needs root, for a disk of its own)', () => {
  let berth: Berth;
  const name = uniqueName('full');
  const reserve = () => path.join(berth.dataFolder, 'reserve');
  /** A size, or just what is used: not a byte is free then. */
  const resize = (size?: string) => {
    const used = execFileSync('df', ['-k', '--output=used', berth.dataFolder], { encoding: 'utf8' }).split('\n')[1];
    execFileSync('mount', ['-o', `remount,size=${size ?? `${used?.trim()}k`}`, berth.dataFolder]);
  };
  const signUpload = () => berth.post('/v1/volume/upload', { volume: 'records', object: 'large' });
  let uploadUrl: string;
  const readiness = async () => (await fetch(`${berth.url}/readyz`)).json();

  beforeAll(async () => {
    berth = createBerth();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3g', 'tmpfs', berth.dataFolder]);
    await berth.start();
    await deployed(berth, name, { files: probe(), fields: { volumes: '{"/data":"records"}' } });
    ({ url: uploadUrl } = (await (await signUpload()).json()) as { url: string });
    await waitFor('the reserve is on the disk', () => existsSync(reserve()));
    await berth.kill9();
  });
  afterAll(async () => {
    await berth.stop().catch(() => {});
    execFileSync('umount', ['--lazy', berth.dataFolder]);
    await berth.close();
  });

  // Fails when `openDiskReserve` gives nothing up: the instance can't be started then.
  it('starts, serves what was cold, and says in /readyz what cannot be written', async () => {
    resize();
    await berth.start(503);
    expect(await readiness()).toMatchObject({
      status: 'unavailable',
      checks: { database: 'ok', disk: 'failed', 'work-disk': 'failed' },
      details: {
        disk: expect.stringMatching(/^The database and the logs can't be written: the disk has 1\d MiB free/),
        'work-disk': expect.stringMatching(/^Builds and volumes can't be written/),
      },
    });
    expect(JSON.stringify(await readiness())).not.toContain(berth.dataFolder);
    expect(await request(berth, name, '/env')).toMatchObject({ status: 200 });
    // A clean end removes the index of the database's log, so the next start has to make it.
    await berth.stop();
  });

  // Fails when `openDatabase` doesn't pass `isSoleUser`: the index of the database's log can't be made then.
  it('starts without a reserve too, refuses writes, and takes them again when there is room', async () => {
    rmSync(reserve(), { force: true });
    resize();
    await berth.start(503);
    expect((await berth.api('/v1/deployment/list')).status).toBe(200);
    const set = () =>
      berth.post('/v1/env/set', { deployment_name: uniqueName('room'), set: { A: 'x'.repeat(20_000) } });
    const refused = await set();
    expect([refused.status, await refused.json()]).toEqual([503, { detail: 'The disk of the database is full.' }]);
    const deploy = await postDeploy(berth, name, { files: probe() });
    expect([deploy.status, await deploy.json()]).toEqual([503, { detail: expect.stringMatching(/disk .* is full/) }]);
    // An upload has to be in the audit log before its URL is returned. This URL is from when there was room.
    expect((await signUpload()).status).toBe(503);
    expect((await fetch(uploadUrl, { method: 'PUT', body: 'x'.repeat(100_000) })).status).toBe(507);

    resize('3g');
    await waitFor('the platform is ready', async () => (await fetch(`${berth.url}/readyz`)).status === 200);
    expect((await set()).status).toBe(200);
    await deployed(berth, name, { files: probe(), fields: { volumes: '{"/data":"records"}' } });
    await waitFor('a new reserve is on the disk', () => existsSync(reserve()));
  });
});
