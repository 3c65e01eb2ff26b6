import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DoctorReport } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBerth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed, openDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';

const isRoot = process.getuid?.() === 0;
const NOBODYS_UID = 60_107;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-environments-'));
  writeFileSync(path.join(folder, 'file'), 'not a folder');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Fails when `preparePlatformFolders` makes folders with `recursive` (it never returns below /proc) or lets the system's error through.
it.each([
  ['file', 'is a file, not a folder (EEXIST, mkdir)'],
  ['file/below', 'is a file, not a folder (ENOTDIR, mkdir)'],
  ['/proc/berth', "doesn't exist and can't be created (ENOENT, mkdir)"],
  ['/proc', "/proc/logs doesn't exist and can't be created (ENOENT, mkdir)"],
])('a data folder that is %s is refused in a sentence', async (place, reason) => {
  const data = path.resolve(folder, place);
  await using berth = createBerth({ args: ['--data', data] });
  const said = await berth.start().then(
    () => expect.fail('the server started'),
    (error: Error) => error.message,
  );
  expect(said).toContain(`berth: The data folder ${data} can't be used: `);
  expect(said).toContain(`${reason}. Choose another with --data.`);
  expect(said).not.toContain('    at ');
});

describe.skipIf(!isRoot)('as another user (needs root, to become one)', () => {
  // Fails when `findHome` lets the error of `homedir` through.
  it('runs without HOME and without a name', async () => {
    const data = mkdtempSync(path.join(tmpdir(), 'berth-nameless-'));
    chownSync(data, NOBODYS_UID, NOBODYS_UID);
    const user = [`--reuid=${NOBODYS_UID}`, `--regid=${NOBODYS_UID}`, '--clear-groups'];
    await using berth = createBerth({
      args: ['--data', data],
      env: { BERTH_RUNTIME: 'process' },
      launcher: ['env', '-u', 'HOME', '-u', 'USER', '-u', 'NODE_COMPILE_CACHE', 'setpriv', ...user],
    });
    await berth.start();
    const name = uniqueName('nameless');
    await deployed(berth, name, { files: greeter('hello') });
    expect((await request(berth, name, '/')).text).toBe('hello');
    await berth.stop();
    rmSync(data, { recursive: true, force: true });
  });

  // Fails when `createConfinement` takes `isRoot` from the user id alone: the doctor answers 500, and deploys end as `internal`.
  it('says that root without capabilities starts nothing, and refuses deploys with the reason', async () => {
    await using berth = createBerth({
      env: { BERTH_RUNTIME: 'process' },
      launcher: ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'],
    });
    await berth.start();
    expect(berth.output).toMatch(/Deploys +Refused: Berth runs as root without CAP_CHOWN, .*never starts them as root/);
    const { checks } = (await (await berth.api('/v1/doctor')).json()) as DoctorReport;
    expect(checks[0]).toMatchObject({
      id: 'launch',
      status: 'missing',
      remedy: expect.stringMatching(/ordinary user/),
    });
    expect((await cli(berth, ['doctor'])).stdout).toContain("so it can't start programs as other users");
    const stream = await openDeploy(berth, uniqueName('refused'), { files: greeter('never') });
    expect((await stream.finish()).last).toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(/^Berth runs as root without CAP_CHOWN.*Start Berth as an ordinary user/),
    });
  });
});
