import { expect, test } from 'vitest';
import { hasProjectQuota } from './watch-disk.ts';

const MOUNTS = [
  '/dev/vda / ext4 rw,relatime 0 0',
  '/dev/vdb /var/lib xfs rw,relatime,attr2,inode64,prjquota 0 0',
  '/dev/vdc /var/lib/docker/plain xfs rw,noquota 0 0',
].join('\n');

test.each([
  ['/var/lib/docker', true],
  ['/var/lib', true],
  ['/var/library', false],
  ['/var/lib/docker/plain/data', false],
  ['/srv', false],
])('%s: %s', (folder, expected) => {
  expect(hasProjectQuota(folder, MOUNTS)).toBe(expected);
});
