import { toFormFields } from '@berth/client';
import {
  changeSettings,
  type Deployment,
  parseDeployForm,
  redeployRequestSchema,
  toSettingsChanges,
} from '@berth/contract';
import { expect, test } from 'vitest';
import { editsOf, toChangedFields } from './settings-changes.ts';
import { draftOf, toDeployFields, toSettingFlags } from './settings-draft.ts';

const DEPLOYMENT = {
  ...{
    name: 'shop',
    port: 3000,
    memory: '2Gi',
    cpu: 1,
    timeout: 60,
    concurrency: 10,
    max_instances: 3,
    min_instances: 0,
  },
  session_affinity: true,
  use_http2: false,
  volumes: { '/data': { name: 'data', read_only: false, sub_path: '' } },
  schedule: { cron: '0 4 * * *', timezone: 'Europe/Berlin' },
  health: { path: '/healthz', interval: 10, timeout: 5 },
} as unknown as Deployment;

const edit = (changes: Partial<ReturnType<typeof draftOf>>) =>
  editsOf(draftOf(DEPLOYMENT), { ...draftOf(DEPLOYMENT), ...changes });

test('a value typed back to its original changes nothing', () => {
  expect(edit({ port: '3000', mounts: [...draftOf(DEPLOYMENT).mounts] })).toEqual({});
  // An empty volume row changes nothing either.
  const empty = { path: '', volume: '', isReadOnly: false, subPath: '' };
  expect(toChangedFields(DEPLOYMENT, edit({ mounts: [...draftOf(DEPLOYMENT).mounts, empty] }))).toEqual({});
});

test.each([
  [{ memory: '512Mi', timeout: '30' }, { memory: '512Mi', timeout: '30' }, '--memory 512Mi --timeout 30'],
  [
    { session_affinity: false, use_http2: true },
    { session_affinity: false, use_http2: true },
    '--no-session-affinity --http2',
  ],
  [{ mounts: [] }, { volumes: {} }, '--no-volume'],
  [{ cron: ' ' }, { schedule: null }, '--no-schedule'],
  [{ health: '/ready ' }, { health: '/ready' }, '--health /ready'],
  [{ health: ' ' }, { health: null }, '--no-health'],
  [{ timezone: 'UTC' }, { schedule: { cron: '0 4 * * *', timezone: 'UTC' } }, '--schedule 0 4 * * * --timezone UTC'],
  [
    { mounts: [{ path: '/x', volume: 'y', isReadOnly: true, subPath: '' }] },
    { volumes: { '/x': { name: 'y', read_only: true } } },
    '--no-volume --volume /x=y:ro',
  ],
  [
    { mounts: [...draftOf(DEPLOYMENT).mounts, { path: '/x', volume: 'y', isReadOnly: false, subPath: '' }] },
    { volumes: { '/data': 'data', '/x': 'y' } },
    '--volume /x=y',
  ],
])('%j is sent alone', (changes, fields, flags) => {
  const edits = edit(changes);
  expect(toChangedFields(DEPLOYMENT, edits)).toEqual(fields);
  expect(toSettingFlags(draftOf(DEPLOYMENT), { ...draftOf(DEPLOYMENT), ...edits }).join(' ')).toBe(flags);
  const form = parseDeployForm({ fields: toFormFields(toDeployFields('shop', draftOf(DEPLOYMENT))), hasArchive: true });
  if ('issues' in form) throw new Error('refused');
  const request = redeployRequestSchema.parse({ name: 'shop', ...toChangedFields(DEPLOYMENT, edits) });
  expect(changeSettings(form.settings, toSettingsChanges(request))).not.toHaveProperty('issues');
});
