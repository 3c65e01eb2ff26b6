import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createSystemClock } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { openCgroupsV2 } from './cgroup-v2.ts';
import { emptyCgroupFolders } from './empty-cgroup.ts';
import { findHierarchies } from './find-hierarchies.ts';
import { openCgroups } from './open-cgroups.ts';

const clock = createSystemClock();
const LIMITS = { memoryBytes: 64 * 2 ** 20, cpuMillis: 500, processes: 50, isLowPriority: false };

function openHere(name: string) {
  return openCgroups(`berth-test-${process.pid}-${name}`, clock);
}

const probe = openHere('probe');
const { memory: hasMemory, freezer: hasFreezer } = probe.features;
await probe.close();

async function start(...argv: [string, ...string[]]): Promise<ChildProcess> {
  const [program, ...rest] = argv;
  const child = spawn(program, rest, { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  return child;
}

describe.skipIf(!hasMemory)('control groups of this machine (skipped where none can be made)', () => {
  test('hold what is put in, with what descends from it, and end it', async () => {
    const groups = openHere('kill');
    const group = groups.create('one', LIMITS);
    if (!group) throw new Error('none made');
    // The child is still asleep when it is moved: its own child is born inside.
    const child = await start('/bin/sh', '-c', 'sleep 0.2; sleep 60 & sleep 60');
    await group.add(child.pid ?? 0);
    await eventually('two grandchildren inside', () => group.pids().length === 3);
    const exit = once(child, 'exit');
    group.kill();
    expect(await exit).toEqual([null, 'SIGKILL']);
    await eventually('nothing is left in it', () => group.pids().length === 0);
    await group.remove();
    await groups.close();
    expect(group.memoryBytes()).toBeUndefined();
  });

  test('memory over the limit ends the program and is counted', async () => {
    const groups = openHere('memory');
    const group = groups.create('one', LIMITS);
    const script = `setTimeout(() => { const all = []; for (;;) all.push(Buffer.alloc(1e6, 1)); }, 200)`;
    const child = await start(process.execPath, '-e', script);
    await group?.add(child.pid ?? 0);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(group?.oomKills()).toBeGreaterThan(0);
    expect(group?.cpuMs()).toBeGreaterThan(0);
    await group?.remove();
    await groups.close();
  });

  test.skipIf(!hasFreezer)('freezes and thaws', async () => {
    const groups = openHere('freeze');
    const group = groups.create('one', LIMITS);
    const child = await start('/bin/sh', '-c', 'while :; do :; done');
    await group?.add(child.pid ?? 0);
    group?.setFrozen(true);
    const frozenAt = await eventually('it stands still', async () => {
      const before = group?.cpuMs() ?? 0;
      await clock.sleep(50);
      return before > 0 && group?.cpuMs() === before ? before : undefined;
    });
    group?.setFrozen(false);
    await eventually('it runs again', () => (group?.cpuMs() ?? 0) > frozenAt);
    const exit = once(child, 'exit');
    group?.kill();
    await exit;
    await group?.remove();
    await groups.close();
  });

  test('what an earlier server left is reaped, frozen or not', async () => {
    const earlier = openHere('reap');
    const group = earlier.create('left', LIMITS);
    const child = await start('/bin/sleep', '60');
    await group?.add(child.pid ?? 0);
    group?.setFrozen(true);
    const exit = once(child, 'exit');
    const later = openHere('reap');
    await emptyCgroupFolders(later.folders, clock);
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(group?.memoryBytes()).toBeUndefined();
    await later.close();
  });
});

/** A tree of version 2 can be mounted without a controller: the freezer and the kill file are its own. */
const unified = findHierarchies(readFileIfThere('/proc/self/mountinfo'), readFileIfThere('/proc/self/cgroup')).find(
  ({ version }) => version === 2,
);
const unifiedProbe = unified && openCgroupsV2(unified, `berth-test-${process.pid}-v2-probe`, clock);
await unifiedProbe?.close();

test.skipIf(!unifiedProbe?.features.freezer)(
  'version 2: freezes, thaws and ends (skipped without such a tree)',
  async () => {
    if (!unified) throw new Error('no such tree');
    const groups = openCgroupsV2(unified, `berth-test-${process.pid}-v2`, clock);
    const group = groups?.create('one', LIMITS);
    if (!groups || !group) throw new Error('none made');
    const child = await start('/bin/sh', '-c', 'while :; do :; done');
    await group.add(child.pid ?? 0);
    group.setFrozen(true);
    const frozenAt = await eventually('it stands still', async () => {
      const before = group.cpuMs() ?? 0;
      await clock.sleep(50);
      return before > 0 && group.cpuMs() === before ? before : undefined;
    });
    group.setFrozen(false);
    await eventually('it runs again', () => (group.cpuMs() ?? 0) > frozenAt);
    const exit = once(child, 'exit');
    group.kill();
    expect(await exit).toEqual([null, 'SIGKILL']);
    await group.remove();
    await groups.close();
  },
);

test('a tree that is not mounted is not made', () => {
  const hierarchy = { version: 2, controllers: [], mountPoint: '/berth-no-such-tree', ownPath: '/' } as const;
  expect(openCgroupsV2(hierarchy, 'berth', clock)).toBeUndefined();
  expect(existsSync('/berth-no-such-tree')).toBe(false);
});

function readFileIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
