import { toFormFields } from '@berth/client';
import { type Deployment, parseDeployForm } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { fieldProblems } from '@berth/ui';
import { expect, test } from 'vitest';
import { detachedMounts, draftOf, toDeployFields, toSettingFlags } from './settings-draft.ts';

const DEPLOYMENT = {
  name: 'shop',
  port: 3000,
  memory: '2Gi',
  cpu: 2,
  timeout: 60,
  concurrency: 10,
  max_instances: 3,
  min_instances: 1,
  session_affinity: true,
  use_http2: true,
  volumes: {
    '/data': { name: 'data', read_only: false, sub_path: '' },
    '/docs': { name: 'docs', read_only: true, sub_path: 'ro' },
  },
  schedule: { cron: '0 4 * * *', timezone: 'Europe/Berlin' },
  health: { path: '/healthz', interval: 30, timeout: 5 },
} as unknown as Deployment;

test('an untouched form deploys with the current settings', () => {
  const form = parseDeployForm({ fields: toFormFields(toDeployFields('shop', draftOf(DEPLOYMENT))), hasArchive: true });
  expect(form).toMatchObject({
    settings: {
      port: 3000,
      memory: '2Gi',
      cpu: 2,
      timeoutSeconds: 60,
      concurrency: 10,
      maxInstances: 3,
      minInstances: 1,
      sessionAffinity: true,
      useHttp2: true,
      schedule: DEPLOYMENT.schedule,
      health: DEPLOYMENT.health,
    },
  });
  if ('issues' in form) throw new Error('refused');
  const volumes = form.settings.volumes.map(({ mountPath, name, readOnly, subPath }) => [
    mountPath,
    { name, read_only: readOnly, sub_path: subPath },
  ]);
  expect(Object.fromEntries(volumes)).toEqual(DEPLOYMENT.volumes);
});

test('the flags contain only settings that differ', () => {
  expect(toSettingFlags(draftOf(DEPLOYMENT), draftOf(DEPLOYMENT))).toEqual([]);
  expect(toSettingFlags(draftOf(), draftOf(DEPLOYMENT)).join(' ')).toBe(
    '--port 3000 --memory 2Gi --cpu 2 --timeout 60 --concurrency 10 --max-instances 3 --min-instances 1 --session-affinity --http2 --volume /data=data --volume /docs=docs:ro:ro --schedule 0 4 * * * --timezone Europe/Berlin --health {"path":"/healthz","interval":30,"timeout":5}',
  );
  // Fails when a setting reset to its default is left out: the deploy would keep the old one.
  expect(toSettingFlags(draftOf(DEPLOYMENT), draftOf()).join(' ')).toBe(
    '--port 8080 --memory 1Gi --cpu 1 --timeout 600 --concurrency 80 --max-instances 0 --min-instances 0 --no-session-affinity --no-http2 --no-volume --no-schedule --no-health',
  );
});

test('berth.json takes precedence, and other settings stay as deployed', () => {
  const file = { memory: '3Gi', volumes: { '/data': 'other' }, schedule: '0 5 * * *' };
  const draft = draftOf(DEPLOYMENT, file);
  expect(draft).toMatchObject({ memory: '3Gi', port: '3000', cron: '0 5 * * *', timezone: 'UTC' });
  // Fails when only mount paths are compared: replacing the volume at a path detaches the first one.
  expect(detachedMounts(draftOf(DEPLOYMENT), draft).map(({ volume }) => volume)).toEqual(['data', 'docs']);
  expect(detachedMounts(draftOf(DEPLOYMENT), draftOf(DEPLOYMENT))).toEqual([]);
});

test('problems appear at their fields, and empty volume rows are ignored', () => {
  const mounts = [{ path: '', volume: '', isReadOnly: true, subPath: '' }];
  const fields = toDeployFields('shop', { ...draftOf(), memory: '1', cron: 'soon', mounts });
  const form = parseDeployForm({ fields: toFormFields(fields), hasArchive: true });
  if (!('issues' in form)) throw new Error('accepted');
  const problems = fieldProblems(
    new BerthError({ code: 'invalid', status: 422, message: 'no', details: { issues: form.issues } }),
  );
  expect(Object.keys(problems).sort()).toEqual(['memory', 'schedule', 'schedule.cron']);
  expect(problems['schedule']).toContain('5 fields');
});
