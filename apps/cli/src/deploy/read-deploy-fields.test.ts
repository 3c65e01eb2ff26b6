import { expect, test } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseVolumeFlag } from './parse-volume-flag.ts';
import { readDeployFields } from './read-deploy-fields.ts';

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

test('flags become the form’s fields, and only those given', () => {
  expect(readDeployFields('app', {}).fields).toEqual({ function_name: 'app', volumes: {} });
  const { fields, settings } = readDeployFields('app', {
    port: '3000',
    memory: '2Gi',
    cpu: '2',
    timeout: '60',
    concurrency: '1',
    maxInstances: '3',
    sessionAffinity: true,
    http2: true,
    volume: ['/data=v', '/cache=c:ro:x'],
    volumes: '{"/more":"m"}',
    schedule: '0 3 * * *',
    timezone: 'Europe/Berlin',
  });
  expect(fields).toEqual({
    function_name: 'app',
    port: '3000',
    memory: '2Gi',
    cpu: '2',
    timeout: '60',
    concurrency: '1',
    max_instances: '3',
    session_affinity: true,
    use_http2: true,
    volumes: { '/data': 'v', '/cache': { name: 'c', read_only: true, sub_path: 'x' }, '/more': 'm' },
    schedule: '0 3 * * *',
    timezone: 'Europe/Berlin',
  });
  expect(settings).toMatchObject({ port: 3000, cpu: 2, schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } });
});

test('every wrong flag is named as it was typed', () => {
  const wrong = () =>
    readDeployFields('Shop', {
      port: '0',
      maxInstances: 'many',
      volume: ['/etc=v'],
      schedule: 'daily',
      sourceObject: 'nothing',
    });
  expect(wrong).toThrow(UsageError);
  for (const flag of ['--name:', '--port:', '--max-instances:', '--volume /etc:', '--schedule:', '--source-object:']) {
    expect(wrong).toThrow(flag);
  }
});

test('two volumes at one path, and JSON that is not an object, are told', () => {
  expect(() => readDeployFields('a', { volume: ['/d=a', '/d=b'] })).toThrow(/given twice/);
  expect(() => readDeployFields('a', { volume: ['/d=a'], volumes: '{"/d":"b"}' })).toThrow(/given twice/);
  for (const volumes of ['[]', 'x', '1']) expect(() => readDeployFields('a', { volumes })).toThrow(/--volumes/);
});

test('a mount path that is a word of JavaScript is a mount path like another', () => {
  expect(() => readDeployFields('a', { volume: ['__proto__=v'] })).toThrow(/--volume/);
});
