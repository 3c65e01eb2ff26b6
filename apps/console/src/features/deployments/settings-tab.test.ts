// @vitest-environment happy-dom
import type { DeploymentDetail } from '@berth/contract';
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createDeployment } from '../../testing/create-deployment.ts';
import { createFakeRun } from '../../testing/create-fake-run.ts';
import { openView } from '../../testing/open-view.ts';
import { SettingsTab } from './settings-tab.tsx';

const volumes = { '/data': { name: 'media', read_only: false, sub_path: '' } };
const person = (...scopes: string[]) => ({ role: 'member', scopes, account: { id: 'acc_1', name: 'Acme' } });

async function open(changes: Partial<DeploymentDetail> = {}, scopes = ['read', 'deploy'], begun = createFakeRun()) {
  const page = await openView(createElement(SettingsTab, { deployment: createDeployment(changes) }), {
    isPart: true,
    cached: [[QUERY_KEYS.user, person(...scopes)]],
    deployRun: begun.run,
    methods: { redeploy: (name: string, settings: object) => ['redeploy', name, settings] },
  });
  return { ...page, ...begun };
}

/** What was begun: a redeploy with these settings. */
const redeployed = (settings: object) => [['begin', 'shop', ['redeploy', 'shop', settings]]];

describe('saving settings', () => {
  // Fails when settings that weren't edited are sent: those that somebody else changed meanwhile would be undone.
  test('sends what was changed and nothing else', async () => {
    const { type, clickOn, done, until, texts, control } = await open();
    expect(control('Redeploy').disabled).toBe(true);
    await type('Memory', '1Gi');
    await type('Min instances', '2');
    await until(() => expect(texts('status')[0]).toBe('2 unsaved changes'));
    await clickOn('Redeploy');
    expect(done).toEqual(redeployed({ memory: '1Gi', min_instances: '2' }));
  });

  // Fails when a setting that is written back counts as a change.
  test('isn’t offered when everything is as before', async () => {
    const { type, control, texts, done, press } = await open();
    await type('Memory', '1Gi');
    await type('Memory', '512Mi');
    expect([texts('status')[0], control('Redeploy').disabled]).toEqual(['No changes', true]);
    await press('Enter');
    expect(done).toEqual([]);
  });

  // Fails when an emptied schedule is left out: it would go on running.
  test('takes a schedule and a health check away', async () => {
    const schedule = { cron: '0 4 * * *', timezone: 'UTC' };
    const health = { path: '/healthz', interval: 10, timeout: 5 };
    const { type, clickOn, done, until, texts } = await open({ schedule, health });
    await type('Schedule', ' ');
    await type('Health check', '');
    await until(() => expect(texts('status')[0]).toBe('2 unsaved changes'));
    await clickOn('Redeploy');
    expect(done).toEqual(redeployed({ schedule: null, health: null }));
  });

  test('undoes all edits', async () => {
    const { type, clickOn, field, texts } = await open();
    await type('Memory', '1Gi');
    await clickOn('Discard');
    expect([field('Memory').value, texts('status')[0]]).toEqual(['512Mi', 'No changes']);
  });

  // Fails when the command changes more than the form does.
  test('has a command with the flags of the changes', async () => {
    const { type, copyCommands } = await open({ volumes });
    await type('Memory', '1Gi');
    const [cli, curl] = await copyCommands(1);
    expect(cli).toBe('npx berth redeploy shop --memory 1Gi');
    expect(curl).toContain('{"name":"shop","memory":"1Gi"}');
  });
});

describe('detaching a volume', () => {
  // Fails when the service loses its data without a question.
  test('asks first, and names the volume', async () => {
    const { clickOn, done, until, dialog } = await open({ volumes });
    await clickOn('Remove the volume at /data');
    await clickOn('Redeploy');
    await until(() => expect(dialog()).toContain('media at /data'));
    expect(done).toEqual([]);
    await clickOn('Detach and deploy');
    expect(done).toEqual(redeployed({ volumes: {} }));
    await until(() => expect(dialog()).toBeUndefined());
  });

  // Fails when Escape counts as an answer.
  test('is given up with Escape, and the edit stays', async () => {
    const { clickOn, done, until, dialog, press, texts } = await open({ volumes });
    await clickOn('Remove the volume at /data');
    await clickOn('Redeploy');
    await until(() => expect(dialog()).toBeDefined());
    await press('Escape');
    await until(() => expect(dialog()).toBeUndefined());
    expect([done, texts('status')[0]]).toEqual([[], '1 unsaved change']);
  });

  // Fails when another volume at the same path passes for the one that was there.
  test('is also mounting another volume in its place', async () => {
    const { type, clickOn, done, until, dialog } = await open({ volumes });
    await type('Volume', 'other');
    await clickOn('Redeploy');
    await until(() => expect(dialog()).toContain('media at /data'));
    await clickOn('Detach and deploy');
    expect(done).toEqual(redeployed({ volumes: { '/data': 'other' } }));
  });
});

describe('a refusal', () => {
  const refused = {
    phase: 'refused',
    error: createError('invalid', 'Two fields are wrong.', {
      details: { issues: [{ loc: ['body', 'memory'], msg: 'memory has to be at least 128Mi' }] },
    }),
  } as const;

  // Fails when the message stands only above the form, or the edits are lost.
  test('is shown at its field, and the edits stay', async () => {
    const { type, clickOn, change, until, field, text } = await open();
    await type('Memory', '1Mi');
    await clickOn('Redeploy');
    await change(refused);
    await until(() => expect(field('Memory').getAttribute('aria-invalid')).toBe('true'));
    expect(text()).toContain('Some settings are invalid.');
    expect(field('Memory').value).toBe('1Mi');
  });

  // Fails when the refusal of another deployment's deploy is shown here.
  test('of another deployment isn’t shown', async () => {
    const { texts, field } = await open({}, undefined, createFakeRun({ ...refused, name: 'blog' }));
    expect(texts('alert')).toEqual([]);
    expect(field('Memory').getAttribute('aria-invalid')).toBeNull();
  });
});

// Fails when a second redeploy can be begun: the panel would show one of them only.
test.each([
  ['sending', 'shop', true],
  ['running', 'shop', true],
  ['done', 'shop', false],
  ['lost', 'shop', false],
  ['running', 'blog', false],
] as const)('while a deploy is %s for %s, restarting is disabled: %s', async (phase, name, isDisabled) => {
  const { control, type, until } = await open({}, undefined, createFakeRun({ phase, name }));
  expect(control('Redeploy as is').disabled).toBe(isDisabled);
  await type('Memory', '1Gi');
  await until(() => expect(control('Redeploy').disabled).toBe(isDisabled));
});

// Fails when a restart sends the settings as they were when the page was opened.
test('a redeploy as is changes no setting', async () => {
  const { clickOn, done } = await open();
  await clickOn('Redeploy as is');
  expect(done).toEqual(redeployed({}));
});

// Fails when people without the right are offered a button that the server refuses.
test('people who may not deploy look at the settings', async () => {
  const { text, controls, field } = await open({}, ['read']);
  expect(text()).toContain('Your role can view settings but not change them.');
  expect(field('Memory').closest('fieldset')?.disabled).toBe(true);
  expect(controls()).not.toContain('Redeploy as is');
  expect(controls()).not.toContain('Deploy with these settings');
});

// Fails when a deployment that never served can be redeployed: there is no build to start.
test('a deployment that never served takes a source', async () => {
  const { text, controls } = await open({ revision: null, revisions: [] });
  expect(text()).toContain('There is no live revision');
  expect(controls()).not.toContain('Redeploy');
  expect(document.querySelector('details')?.hasAttribute('open')).toBe(true);
});
