import type { Deployment, FileSettings } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { editsOf, toChangedFields } from './settings-changes.ts';
import { detachedMounts, draftOf, isSame, type MountDraft, toDeployFields, toSettingFlags } from './settings-draft.ts';

const mount = (path: string, volume: string, changes: Partial<MountDraft> = {}): MountDraft => ({
  ...{ path, volume, isReadOnly: false, subPath: '' },
  ...changes,
});
const base = draftOf();
const flags = (changes: object, from = base) => toSettingFlags(from, { ...from, ...changes });

describe('a health check', () => {
  // Fails when the default times are written out, or other ones are lost.
  test.each<[FileSettings['health'], string]>([
    [undefined, ''],
    [null as never, ''],
    ['/healthz', '/healthz'],
    [{ path: '/healthz' } as never, '/healthz'],
    [{ path: '/healthz', interval: 99, timeout: 7 } as never, '{"path":"/healthz","interval":99,"timeout":7}'],
  ])('%j reads as %j', (health, text) => {
    expect(draftOf(undefined, { health } as FileSettings).health).toBe(text);
  });

  test.each([
    ['', '/ok', ['--health', '/ok']],
    ['/ok', '', ['--no-health']],
    ['/ok', ' /ok ', []],
  ])('from %j to %j has the flags %j', (before, after, expected) => {
    expect(flags({ health: after }, { ...base, health: before })).toEqual(expected);
  });
});

describe('a schedule', () => {
  // Fails when a zone alone is a change without a schedule, or an emptied one isn't removed.
  test.each([
    [{ cron: '' }, { timezone: 'Asia/Dubai' }, []],
    [{ cron: '0 4 * * *' }, { timezone: 'Asia/Dubai' }, ['--schedule', '0 4 * * *', '--timezone', 'Asia/Dubai']],
    [{ cron: '0 4 * * *' }, { cron: ' ' }, ['--no-schedule']],
    [{ cron: '' }, { cron: '0 5 * * *' }, ['--schedule', '0 5 * * *', '--timezone', 'UTC']],
    [{ cron: '0 4 * * *' }, {}, []],
  ])('of %j changed by %j has the flags %j', (before, changes, expected) => {
    expect(flags(changes, { ...base, ...before })).toEqual(expected);
  });

  test('is sent with its zone, and not at all when empty', () => {
    const fields = (cron: string) => toDeployFields('shop', { ...base, cron, timezone: 'Asia/Dubai' });
    expect(fields(' 0 4 * * * ').schedule).toEqual({ cron: '0 4 * * *', timezone: 'Asia/Dubai' });
    expect(fields(' ')).not.toHaveProperty('schedule');
  });

  test('of berth.json may be a text alone', () => {
    expect(draftOf(undefined, { schedule: '0 4 * * *' })).toMatchObject({ cron: '0 4 * * *', timezone: 'UTC' });
  });
});

describe('volumes', () => {
  const before = [mount('/data', 'media'), mount('/cache', 'tmp', { isReadOnly: true })];
  const from = { ...base, mounts: before };

  // Fails when a volume that another one replaces, or another part of it, is no loss.
  test.each<[readonly MountDraft[], string[]]>([
    [before, []],
    [[...before, mount('/more', 'x')], []],
    [[before[0] as MountDraft], ['/cache']],
    [[mount('/data', 'other'), before[1] as MountDraft], ['/data']],
    [[mount('/data', 'media', { subPath: 'a' }), before[1] as MountDraft], ['/data']],
    [[mount('/data', 'media', { isReadOnly: true }), before[1] as MountDraft], []],
    [[], ['/data', '/cache']],
  ])('%#: those that are detached', (mounts, paths) => {
    expect(detachedMounts(from, { ...from, mounts }).map(({ path }) => path)).toEqual(paths);
  });

  // Fails when the flags add to the mounts where one has to go: the command would keep it.
  test('that go are removed by naming those that stay', () => {
    expect(flags({ mounts: [before[0]] }, from)).toEqual(['--no-volume', '--volume', '/data=media']);
    expect(flags({ mounts: [...before, mount('/more', 'x', { subPath: 'ro' })] }, from)).toEqual([
      '--volume',
      '/more=x:rw:ro',
    ]);
    expect(flags({ mounts: [...before, mount('/r', 'x', { isReadOnly: true, subPath: 'a/b' })] }, from)).toEqual([
      '--volume',
      '/r=x:ro:a/b',
    ]);
  });

  // Fails when a row that was added and left empty is sent.
  test('without path and name are left out, and half-filled ones are sent', () => {
    const { volumes } = toDeployFields('shop', { ...base, mounts: [mount('', ''), mount('/data', '')] });
    expect(volumes).toEqual({ '/data': '' });
    const part = mount('/data', 'media', { isReadOnly: true, subPath: 'a' });
    expect(toDeployFields('shop', { ...base, mounts: [part] }).volumes).toEqual({
      '/data': { name: 'media', read_only: true, sub_path: 'a' },
    });
  });

  test('of berth.json may be names alone', () => {
    expect(draftOf(undefined, { volumes: { '/data': 'media' } } as FileSettings).mounts).toEqual([
      mount('/data', 'media'),
    ]);
  });
});

describe('changes of a deployment', () => {
  const deployment = {
    name: 'shop',
    ...{ ...JSON.parse(JSON.stringify(base)), volumes: { '/data': { name: 'media' } } },
    schedule: { cron: '0 4 * * *', timezone: 'UTC' },
    health: { path: '/ok', interval: 10, timeout: 5 },
  } as unknown as Deployment;

  // Fails when what was removed is left out: the server would keep it.
  test('are only what differs; what was removed is null', () => {
    expect(toChangedFields(deployment, {})).toEqual({});
    expect(toChangedFields(deployment, { memory: '2Gi' })).toEqual({ memory: '2Gi' });
    expect(toChangedFields(deployment, { cron: '', health: '' })).toEqual({ schedule: null, health: null });
    expect(toChangedFields(deployment, { mounts: [] })).toEqual({ volumes: {} });
  });

  // Fails when a value that was typed back counts as an edit.
  test('are no edits once they were typed back', () => {
    expect(editsOf(base, { ...base, memory: '9Gi' })).toEqual({ memory: '9Gi' });
    expect(editsOf(base, { ...base, mounts: [...base.mounts] })).toEqual({});
    expect(isSame({ a: [1] }, { a: [1] })).toBe(true);
    expect(isSame({ a: [1] }, { a: [2] })).toBe(false);
  });
});
