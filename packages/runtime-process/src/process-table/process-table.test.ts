import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ProcessInfo, parseProcessStat, readProcess, readProcesses } from '@berth/runtime/drivers';
import { describe, expect, test } from 'vitest';
import { findDescendants, findMembers } from './find-members.ts';

function createProcess(pid: number, fields: Partial<ProcessInfo> = {}): ProcessInfo {
  return {
    pid,
    parentPid: 1,
    group: pid,
    session: pid,
    state: 'S',
    cpuTicks: 0,
    threads: 1,
    startTicks: 1,
    ...fields,
  };
}

describe('parseProcessStat', () => {
  test('a name that imitates the fields after it', () => {
    const stat = `42 (a) S 1 2 (b) R 7 8 9 0 -1 4194304 1 0 0 0 30 12 0 0 20 0 11 0 5555 1000000 250 ${'0 '.repeat(28)}`;
    expect(parseProcessStat(stat)).toEqual({
      pid: 42,
      state: 'R',
      parentPid: 7,
      group: 8,
      session: 9,
      cpuTicks: 42,
      threads: 11,
      startTicks: 5555,
    });
  });

  test.each(['', 'x', '12 (cut) S 1'])('%j is not one', (text) => {
    expect(parseProcessStat(text)).toBeUndefined();
  });
});

describe('findMembers', () => {
  const none = '/nonexistent/folder';

  test('group, session and descendants; not the dead', () => {
    const processes = [
      createProcess(100),
      createProcess(101, { parentPid: 100, group: 100, session: 100 }),
      createProcess(102, { parentPid: 101, session: 100 }),
      createProcess(103, { parentPid: 102 }),
      createProcess(104, { parentPid: 101, group: 100, session: 100, state: 'Z' }),
      createProcess(200),
      createProcess(201, { parentPid: 200 }),
    ];
    const members = findMembers({ leader: { pid: 100, startTicks: 1 }, folder: none }, processes);
    expect(members.map((info) => info.pid).sort()).toEqual([100, 101, 102, 103]);
    expect(findDescendants(200, processes).map((info) => info.pid)).toEqual([201]);
  });

  test('a pid that another process has by now matches nothing', () => {
    const processes = [createProcess(100, { startTicks: 9 }), createProcess(101, { parentPid: 100, group: 100 })];
    expect(findMembers({ leader: { pid: 100, startTicks: 1 }, folder: none }, processes)).toEqual([]);
  });

  test('the session of a leader that is gone still counts', () => {
    const processes = [createProcess(101, { group: 101, session: 100 })];
    const members = findMembers({ leader: { pid: 100, startTicks: 1 }, folder: none }, processes);
    expect(members.map((info) => info.pid)).toEqual([101]);
  });

  test.runIf(process.platform === 'linux')('a stranger that carries the folder in its environment', async () => {
    const folder = `/tmp/berth-marker-${process.pid}`;
    const child = spawn('/bin/sleep', ['30'], { detached: true, stdio: 'ignore', env: { TMPDIR: `${folder}/tmp` } });
    try {
      await once(child, 'spawn');
      expect(findMembers({ folder }).map((info) => info.pid)).toEqual([child.pid]);
      expect(findMembers({ folder: `${folder}x` })).toEqual([]);
      expect(findMembers({ folder, uid: 4_000_000 })).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

test.runIf(process.platform === 'linux')('reads the table of this machine', () => {
  const own = readProcess(process.pid);
  expect(own).toMatchObject({ pid: process.pid, parentPid: process.ppid });
  expect(readProcesses().some((info) => info.pid === process.pid)).toBe(true);
  expect(readProcess(2 ** 22 + 1)).toBeUndefined();
});
