import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { CONTAINER_MOUNTS, judgeMountPath, type MountPolicy } from './mount-path.ts';

const POLICY: MountPolicy = {
  reserved: ['/usr', '/bin', '/tmp', '/opt/tool', '/srv/berth/data', '/Work/root'],
  partial: { '/var': ['/var/lib', '/var/www'] },
};
const isAllowed = (path: string, policy = POLICY) => 'target' in judgeMountPath(path, policy);

describe('judgeMountPath', () => {
  it.each([
    ...['/data', '/data/deep/er', '/mnt', '/mnt/x', '/srv/x', '/srv/berth/files', '/var/lib/x', '/var/www/x/y', '/app'],
    ...['/workspace', '/usrlocal', '/opt/other', '/opt/tools', '/...', '/data/..x'],
  ])('allows %s', (path) => {
    expect(judgeMountPath(path, POLICY)).toEqual({ target: path });
  });

  it.each([
    ...[
      '/usr',
      '/usr/bin',
      '/USR',
      '/Usr/bin',
      '/bin',
      '/tmp/x',
      '/opt',
      '/opt/tool',
      '/opt/tool/bin',
      '/srv',
      '/srv/berth',
    ],
    ...[
      '/srv/berth/data',
      '/srv/berth/data/x',
      '/work',
      '/WORK/ROOT/x',
      '/var',
      '/var/lib',
      '/var/www',
      '/var/tmp/x',
      '/VAR/run',
    ],
    ...['', '/', '//', 'data', '/data/', '//data', '/data/./x', '/usr/../data', '/data/..', '/data\0'],
  ])('refuses %j', (path) => {
    expect(isAllowed(path)).toBe(false);
  });

  it('in containers refuses only what makes one, and leaves the rest to them', () => {
    for (const path of ['/usr/bin', '/tmp', '/var', '/root/x']) expect(isAllowed(path, CONTAINER_MOUNTS)).toBe(true);
    for (const path of ['/', '/proc', '/sys/x', '/dev', '/etc/app'])
      expect(isAllowed(path, CONTAINER_MOUNTS)).toBe(false);
  });

  test('what it allows is disjoint from every reserved folder', () => {
    const name = fc.oneof(
      fc.constantFrom('usr', 'USR', 'bin', 'opt', 'tool', 'var', 'lib', '.', '..', ''),
      fc.string(),
    );
    const path = fc.array(name, { maxLength: 5 }).map((names) => `/${names.join('/')}`);
    // An oracle on lists of names: two folders are disjoint when neither is a prefix of the other.
    const names = (one: string) => one.split('/').slice(1);
    const isPrefix = (one: readonly string[], other: readonly string[]) => one.every((part, at) => part === other[at]);
    const touches = (one: string, other: string) =>
      isPrefix(names(one), names(other)) || isPrefix(names(other), names(one));
    let allowed = 0;
    fc.assert(
      fc.property(path, fc.array(path), (mountPath, reserved) => {
        const policy = { ...POLICY, reserved: [...POLICY.reserved, ...reserved.filter((one) => !one.endsWith('/'))] };
        if (!isAllowed(mountPath, policy)) return;
        allowed++;
        expect(names(mountPath)).not.toContain('..');
        expect(policy.reserved.filter((folder) => touches(mountPath, folder))).toEqual([]);
        if (names(mountPath)[0] === 'var') expect(mountPath).toMatch(/^\/var\/(lib|www)\/./s);
      }),
      { numRuns: 3_000 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});
