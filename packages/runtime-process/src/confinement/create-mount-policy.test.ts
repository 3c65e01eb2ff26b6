import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeMountPath } from '@berth/contract';
import { expect, test } from 'vitest';
import { createMachine } from '../testing/machine.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createMountPolicy } from './create-mount-policy.ts';

test('the roots that services own are free, and nothing of the system is', () => {
  const policy = createMountPolicy([]);
  const allowed = (path: string) => 'target' in judgeMountPath(path, policy);
  for (const path of [
    '/data',
    '/mnt/x',
    '/srv/x',
    '/var/lib/x',
    '/var/www/x',
    '/app/x',
    '/workspace',
    '/opt/x',
    '/models',
  ])
    expect([path, allowed(path)]).toEqual([path, true]);
  // On this machine or not: a data folder may be moved to one that has them.
  for (const folder of [
    '/usr',
    '/bin',
    '/sbin',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/nix',
    '/etc',
    '/proc',
    '/sys',
  ])
    for (const path of [folder, `${folder}/x`]) expect([path, allowed(path)]).toEqual([path, false]);
  for (const folder of ['/dev', '/run', '/tmp', '/var/tmp', '/boot', '/root', '/home'])
    for (const path of [folder, `${folder}/x`]) expect([path, allowed(path)]).toEqual([path, false]);
});

// Fails when only the names of folders are reserved: a sandbox follows the machine's symlinks.
test('a folder that is a symlink reserves what it leads to', async () => {
  await using folder = await createTemporaryFolder();
  const [tool, link] = [join(folder.path, 'tool'), join(folder.path, 'link')];
  await mkdir(tool);
  await symlink(tool, link);
  expect(createMountPolicy([link]).reserved).toEqual(expect.arrayContaining([tool, link]));
});

// Fails when the confinement leaves one of its folders out of the policy.
test('what the platform shows and hides is reserved', async () => {
  await using home = await createTemporaryFolder();
  await mkdir(join(home.path, '.cargo/bin'), { recursive: true });
  const protectedFolders = ['/srv/platform'];
  await using machine = await createMachine({ overrides: { homeFolder: home.path, protectedFolders } });
  const { mountPolicy, workRoot, isSandboxed } = machine.confinement;
  const shown = [join(workRoot, 'toolchain'), ...(isSandboxed ? [join(home.path, '.cargo/bin')] : [])];
  expect(mountPolicy.reserved).toEqual(
    expect.arrayContaining([machine.dataFolder, ...protectedFolders, workRoot, ...shown]),
  );
});
