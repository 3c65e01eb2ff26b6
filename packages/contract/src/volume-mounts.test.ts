import { describe, expect, it } from 'vitest';
import { parseVolumeMounts, volumeMountsToJson } from './volume-mounts.ts';

const types = (value: unknown): string[] => {
  const result = parseVolumeMounts(typeof value === 'string' ? value : JSON.stringify(value));
  return 'issues' in result ? result.issues.map((issue) => issue.type) : [];
};

describe('parseVolumeMounts', () => {
  it('reads both forms and fills defaults', () => {
    const result = parseVolumeMounts('{"/data":"files","/models":{"name":"m","read_only":true,"sub_path":"a/b"}}');
    expect('mounts' in result && volumeMountsToJson(result.mounts)).toEqual({
      '/data': { name: 'files', read_only: false, sub_path: '' },
      '/models': { name: 'm', read_only: true, sub_path: 'a/b' },
    });
  });

  it.each([
    ['not json', 'json_invalid'],
    ['[]', 'invalid_type'],
    ['null', 'invalid_type'],
    [{ data: 'v' }, 'mount_path_invalid'],
    [{ '/': 'v' }, 'mount_path_invalid'],
    [{ '/data/': 'v' }, 'mount_path_invalid'],
    [{ '/a//b': 'v' }, 'mount_path_invalid'],
    [{ '/a/../b': 'v' }, 'mount_path_invalid'],
    [{ '/proc': 'v' }, 'mount_path_invalid'],
    [{ '/etc/app': 'v' }, 'mount_path_invalid'],
    [{ '/a': 'v', '/a/b': 'w' }, 'mount_path_nested'],
    [{ '/a': 'Upper' }, 'volume_name_invalid'],
    [{ '/a': '' }, 'volume_name_invalid'],
    [{ '/a': 7 }, 'invalid_type'],
    [{ '/a': {} }, 'missing'],
    [{ '/a': { name: 'v', read_only: 'yes' } }, 'invalid_type'],
    [{ '/a': { name: 'v', sub_path: '../x' } }, 'sub_path_invalid'],
    [{ '/a': { name: 'v', sub_path: '/x' } }, 'sub_path_invalid'],
  ])('refuses %j', (value, type) => {
    expect(types(value)).toEqual([type]);
  });

  it('bounds how many there are, before it compares them', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_v, i) => [`/v${i}`, 'v']));
    expect(types(many(64))).toEqual([]);
    expect(types(many(65))).toEqual(['too_many_volumes']);
  });

  it('allows one volume at two paths and names beside each other', () => {
    expect(types({ '/a': 'v', '/ab': 'v' })).toEqual([]);
  });
});
