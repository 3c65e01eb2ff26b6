import { toFormFields } from '@berth/client';
import { type Deployment, parseDeployForm } from '@berth/contract';
import { expect, test } from 'vitest';
import { draftOf, problemsByField, toDeployFields, toDeployFlags } from './settings-draft.ts';

const DEPLOYMENT = {
  name: 'shop',
  port: 3000,
  memory: '2Gi',
  cpu: 2,
  timeout: 60,
  concurrency: 10,
  max_instances: 3,
  session_affinity: true,
  use_http2: true,
  volumes: {
    '/data': { name: 'data', read_only: false, sub_path: '' },
    '/docs': { name: 'docs', read_only: true, sub_path: 'ro' },
  },
  schedule: { cron: '0 4 * * *', timezone: 'Europe/Berlin' },
} as unknown as Deployment;

test('a form that nobody touched deploys with the settings that are there', () => {
  const form = parseDeployForm({ fields: toFormFields(toDeployFields('shop', draftOf(DEPLOYMENT))), hasArchive: true });
  expect(form).toMatchObject({
    settings: {
      port: 3000,
      memory: '2Gi',
      cpu: 2,
      timeoutSeconds: 60,
      concurrency: 10,
      maxInstances: 3,
      sessionAffinity: true,
      useHttp2: true,
      schedule: DEPLOYMENT.schedule,
    },
  });
  if ('issues' in form) throw new Error('refused');
  const volumes = form.settings.volumes.map(({ mountPath, name, readOnly, subPath }) => [
    mountPath,
    { name, read_only: readOnly, sub_path: subPath },
  ]);
  expect(Object.fromEntries(volumes)).toEqual(DEPLOYMENT.volumes);
});

test('the command line is told what differs from the defaults', () => {
  expect(toDeployFlags('new', draftOf())).toEqual(['--name', 'new']);
  expect(toDeployFlags('shop', draftOf(DEPLOYMENT)).join(' ')).toBe(
    '--name shop --port 3000 --memory 2Gi --cpu 2 --timeout 60 --concurrency 10 --max-instances 3 --session-affinity --http2 --volume /data=data --volume /docs=docs:ro:ro --schedule 0 4 * * * --timezone Europe/Berlin',
  );
});

test('what is wrong is told at its field; empty rows of volumes are none', () => {
  const mounts = [{ path: '', volume: '', isReadOnly: true, subPath: '' }];
  const fields = toDeployFields('shop', { ...draftOf(), memory: '1', cron: 'soon', mounts });
  const form = parseDeployForm({ fields: toFormFields(fields), hasArchive: true });
  if (!('issues' in form)) throw new Error('accepted');
  const problems = problemsByField(form.issues);
  expect(Object.keys(problems).sort()).toEqual(['memory', 'schedule']);
  expect(problems['schedule']).toContain('5 fields');
});
