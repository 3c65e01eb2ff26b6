import { expect, test } from 'vitest';
import { findHierarchies } from './find-hierarchies.ts';

test('version 1, each controller mounted alone or with another', () => {
  const mountInfo = [
    '25 1 0:22 / /proc rw,relatime - proc proc rw',
    '30 26 0:25 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '31 26 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
    '32 26 0:27 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd',
  ].join('\n');
  const own = '5:memory:/user/1\n4:cpu,cpuacct:/\n1:name=systemd:/init\n0::/\n';
  expect(findHierarchies(mountInfo, own)).toEqual([
    { version: 1, controllers: ['memory'], mountPoint: '/sys/fs/cgroup/memory', ownPath: '/user/1' },
    { version: 1, controllers: ['cpu', 'cpuacct'], mountPoint: '/sys/fs/cgroup/cpu,cpuacct', ownPath: '/' },
    { version: 1, controllers: ['name=systemd'], mountPoint: '/sys/fs/cgroup/systemd', ownPath: '/init' },
  ]);
});

test('version 2 under systemd, a path with a colon in it', () => {
  const mountInfo = '29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
  expect(findHierarchies(mountInfo, '0::/system.slice/berth:1.service\n')).toEqual([
    { version: 2, controllers: [], mountPoint: '/sys/fs/cgroup', ownPath: '/system.slice/berth:1.service' },
  ]);
});

test('a container that sees its own part of the tree only', () => {
  const mountInfo = '30 26 0:25 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory';
  expect(findHierarchies(mountInfo, '5:memory:/docker/abc\n')[0]?.ownPath).toBe('/');
  expect(findHierarchies(mountInfo, '5:memory:/docker/abc/child\n')[0]?.ownPath).toBe('/child');
});

test.each(['', 'garbage', '1 2 3 - cgroup'])('nothing in %j', (mountInfo) => {
  expect(findHierarchies(mountInfo, '')).toEqual([]);
});
