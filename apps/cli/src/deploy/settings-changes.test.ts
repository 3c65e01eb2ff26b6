import type { Deployment } from '@berth/contract';
import { expect, test } from 'vitest';
import { readDeployFields } from './read-deploy-fields.ts';
import { findSettingsChanges } from './settings-changes.ts';

const before: Deployment = {
  name: 'app',
  url: 'http://app.localhost',
  region: 'local',
  status: 'ready',
  revision: 'app-1',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  port: 8080,
  memory: '1Gi',
  cpu: 1,
  timeout: 600,
  concurrency: 80,
  max_instances: 0,
  session_affinity: false,
  use_http2: false,
  volumes: {},
  schedule: null,
  instances: 1,
};

test('the same again changes nothing', () => {
  expect(findSettingsChanges(before, readDeployFields('app', {}).settings)).toEqual({ dropped: [], changed: [] });
});

test('what was declared and is not any more is dropped', () => {
  const rich: Deployment = {
    ...before,
    volumes: {
      '/data': { name: 'shop-data', read_only: false, sub_path: '' },
      '/kept': { name: 'k', read_only: false, sub_path: '' },
    },
    schedule: { cron: '0 3 * * *', timezone: 'UTC' },
  };
  const { dropped } = findSettingsChanges(rich, readDeployFields('app', { volume: ['/kept=k'] }).settings);
  expect(dropped).toEqual([
    'The volume shop-data is no longer mounted at /data (its data is kept).',
    'The schedule 0 3 * * * is removed.',
  ]);
});

test('settings that go back to their defaults are told', () => {
  const tuned = { ...before, memory: '2Gi', port: 3000, max_instances: 4 };
  expect(findSettingsChanges(tuned, readDeployFields('app', { maxInstances: '5' }).settings).changed).toEqual([
    'port 3000 → 8080',
    'memory 2Gi → 1Gi',
    'max-instances 4 → 5',
  ]);
});
