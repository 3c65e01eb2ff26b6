import type { DeployFields } from '@berth/client';
import type { Deployment, FileSettings } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import type { SettingOptions } from './deploy-options.ts';
import { findDetached, parseVolumeFlag } from './merge-volumes.ts';
import { readDeployForm, readSettingsChanges } from './read-settings.ts';
import { findSettingsChanges } from './settings-changes.ts';

const mount = (name: string, sub_path = '') => ({ name, read_only: false, sub_path });

const deployed: Deployment = {
  name: 'app',
  url: 'http://app.localhost',
  region: 'local',
  status: 'ready',
  revision: 'app-1',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  port: 3000,
  memory: '2Gi',
  cpu: 2,
  timeout: 60,
  concurrency: 5,
  max_instances: 4,
  min_instances: 0,
  session_affinity: true,
  use_http2: true,
  volumes: { '/data': mount('shop-data'), '/cache': mount('c', 'x') },
  schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
  health: null,
  instances: 1,
  busy: 0,
};

interface Given {
  readonly options?: SettingOptions;
  readonly file?: FileSettings;
  readonly deployed?: Deployment;
  readonly others?: Partial<DeployFields>;
}

const read = (given: Given, name = 'app') =>
  readDeployForm(name, { options: {}, file: {}, deployed: undefined, ...given });

test('a volume flag in all its forms', () => {
  expect(parseVolumeFlag('/data=v')).toEqual(['/data', 'v']);
  expect(parseVolumeFlag('/data=v:ro')).toEqual(['/data', { name: 'v', read_only: true }]);
  expect(parseVolumeFlag('/data=v:rw')).toEqual(['/data', 'v']);
  expect(parseVolumeFlag('/data=v:a/b')).toEqual(['/data', { name: 'v', sub_path: 'a/b' }]);
  expect(parseVolumeFlag('/data=v:ro:a/b:c')).toEqual(['/data', { name: 'v', read_only: true, sub_path: 'a/b:c' }]);
  expect(parseVolumeFlag('/data=v:rw:ro')).toEqual(['/data', { name: 'v', sub_path: 'ro' }]);
  for (const text of ['', '/data', '=v', '/data=', '/data=:ro'])
    expect(() => parseVolumeFlag(text)).toThrow(UsageError);
});

describe('a first deploy', () => {
  test('sends the flags that are given and no others', () => {
    expect(read({}).fields).toEqual({ function_name: 'app', volumes: {} });
    const { fields, settings } = read({
      options: {
        port: '3000',
        memory: '2Gi',
        cpu: '2',
        timeout: '60',
        concurrency: '1',
        maxInstances: '3',
        minInstances: '2',
        sessionAffinity: true,
        http2: true,
        volume: ['/data=v', '/cache=c:ro:x'],
        volumes: '{"/more":"m"}',
        schedule: '0 3 * * *',
        timezone: 'Europe/Berlin',
      },
    });
    expect(fields).toEqual({
      function_name: 'app',
      port: '3000',
      memory: '2Gi',
      cpu: '2',
      timeout: '60',
      concurrency: '1',
      max_instances: '3',
      min_instances: '2',
      session_affinity: true,
      use_http2: true,
      volumes: { '/data': 'v', '/cache': { name: 'c', read_only: true, sub_path: 'x' }, '/more': 'm' },
      schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
    });
    expect(settings).toMatchObject({ port: 3000, cpu: 2, schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } });
  });

  test('names every wrong flag as it was typed, and every wrong setting of the file', () => {
    const options = { port: '0', maxInstances: 'many', volume: ['/etc=v'], schedule: 'daily' };
    const wrong = () =>
      read({ options, file: { memory: '1' }, others: { source_object: 'nothing', tag: 'a---b' } }, 'Shop');
    expect(wrong).toThrow(UsageError);
    for (const flag of [
      '--name:',
      '--port:',
      '--tag:',
      '--max-instances:',
      '--volume /etc:',
      '--schedule:',
      '--source-object:',
    ]) {
      expect(wrong).toThrow(flag);
    }
    expect(wrong).toThrow('berth.json: memory: ');
  });

  test('refuses two volumes at one path, and JSON that is not an object', () => {
    expect(() => read({ options: { volume: ['/d=a', '/d=b'] } })).toThrow(/given twice/);
    expect(() => read({ options: { volume: ['/d=a'], volumes: '{"/d":"b"}' } })).toThrow(/given twice/);
    for (const volumes of ['[]', 'x', '1']) expect(() => read({ options: { volumes } })).toThrow(/--volumes/);
  });

  test('treats a mount path that is a word of JavaScript like any other', () => {
    expect(() => read({ options: { volume: ['__proto__=v'] } })).toThrow(/--volume/);
  });

  test('refuses a time zone without a schedule', () => {
    expect(() => read({ options: { timezone: 'UTC' } })).toThrow(/--schedule/);
  });
});

describe('a redeploy', () => {
  // Fails when `readDeployForm` leaves out `settingsOf(deployed)`.
  test('keeps every setting that nothing names', () => {
    const { fields, settings, kept } = read({ deployed });
    expect(findSettingsChanges(deployed, settings, kept).changed).toEqual([]);
    expect(findDetached(deployed.volumes, fields.volumes)).toEqual([]);
    expect(findSettingsChanges(deployed, settings, kept).kept).toEqual([
      'port 3000',
      'memory 2Gi',
      'cpu 2',
      'timeout 60',
      'concurrency 5',
      'max-instances 4',
      'session-affinity true',
      'http2 true',
      'schedule 0 3 * * * Europe/Berlin',
      'volume shop-data at /data',
      'volume c at /cache',
    ]);
  });

  test('prefers a flag to berth.json, and berth.json to what is deployed', () => {
    const file = { memory: '3Gi', concurrency: 7 };
    const { settings } = read({ deployed, file, options: { concurrency: '9', sessionAffinity: false } });
    expect(settings).toMatchObject({ memory: '3Gi', concurrency: 9, port: 3000, sessionAffinity: false });
  });

  test.each<[string, Given, string[]]>([
    ['--volume adds', { options: { volume: ['/more=m'] } }, ['/data', '/cache', '/more']],
    ['--no-volume detaches all', { options: { volume: [false] } }, []],
    ['--no-volume keeps what --volume names', { options: { volume: ['/more=m', false] } }, ['/more']],
    ['--volumes is a whole declaration', { options: { volumes: '{"/more":"m"}' } }, ['/more']],
    ['volumes of berth.json are a whole declaration', { file: { volumes: { '/data': 'shop-data' } } }, ['/data']],
    ['flags add to those', { file: { volumes: {} }, options: { volume: ['/more=m'] } }, ['/more']],
    ['a file without volumes keeps them', { file: { memory: '3Gi' } }, ['/data', '/cache']],
  ])('volumes: %s', (_title, given, mountPaths) => {
    const { fields } = read({ deployed, ...given });
    expect(Object.keys(fields.volumes)).toEqual(mountPaths);
    const ended = Object.keys(deployed.volumes).filter((path) => !mountPaths.includes(path));
    expect(findDetached(deployed.volumes, fields.volumes)).toHaveLength(ended.length);
  });

  test('counts another volume or folder at the same path as a detached one', () => {
    expect(findDetached(deployed.volumes, { '/data': 'other', '/cache': { name: 'c' } })).toEqual([
      'Volume other replaces shop-data at /data; the data of shop-data is kept.',
      'Volume c replaces c/x at /cache; the data of c is kept.',
    ]);
  });

  test.each<[string, Given, unknown]>([
    ['--no-schedule removes it', { options: { schedule: false } }, null],
    ['null in the file removes it', { file: { schedule: null } }, null],
    [
      'a bare cron keeps its zone',
      { options: { schedule: '0 4 * * *' } },
      { cron: '0 4 * * *', timezone: 'Europe/Berlin' },
    ],
    ['a zone keeps the cron', { options: { timezone: 'UTC' } }, { cron: '0 3 * * *', timezone: 'UTC' }],
    ['a cron of the file is in UTC', { file: { schedule: '0 5 * * *' } }, { cron: '0 5 * * *', timezone: 'UTC' }],
  ])('schedule: %s', (_title, given, schedule) => {
    expect(read({ deployed, ...given }).settings.schedule).toEqual(schedule);
  });

  // Fails when the CPU of the row is kept: 4 CPUs need 2Gi of memory.
  test('asks for the CPU anew when the memory that had raised it changes', () => {
    const raised = { ...deployed, memory: '16Gi', cpu: 4 };
    expect(read({ deployed: raised, options: { memory: '1Gi' } }).settings.cpu).toBe(1);
    expect(read({ deployed: raised, options: { port: '1' } }).settings.cpu).toBe(4);
  });

  test('without a source sends what changes, with volumes as a whole', () => {
    expect(readSettingsChanges({ memory: '1Gi', schedule: false }, deployed.volumes)).toEqual({
      memory: '1Gi',
      schedule: null,
    });
    expect(readSettingsChanges({ volume: ['/more=m'] }, deployed.volumes)).toEqual({
      volumes: { ...deployed.volumes, '/more': 'm' },
    });
  });
});

test('settings that change are listed as they were and as they are', () => {
  const { settings, kept } = read({ deployed, options: { maxInstances: '5', http2: false, volume: ['/data=other'] } });
  expect(findSettingsChanges(deployed, settings, kept).changed).toEqual([
    'max-instances 4 → 5',
    'http2 true → false',
    'volume other at /data',
  ]);
});
