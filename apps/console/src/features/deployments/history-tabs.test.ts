// @vitest-environment happy-dom
import {
  createError,
  type DeploymentDetail,
  type DeploySummary,
  type RollbackPreview,
  type Traffic,
} from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createDeployment, createDeploySummary } from '../../testing/create-deployment.ts';
import { createFakeRun } from '../../testing/create-fake-run.ts';
import { openView } from '../../testing/open-view.ts';
import { DeploysTab } from './deploys-tab.tsx';
import { InstancesTab } from './instances-tab.tsx';
import { RevisionsTab } from './revisions-tab.tsx';

describe('the revisions', () => {
  const unchanged: RollbackPreview = {
    ...{ from: 'shop-2', to: 'shop-1', build: null, settings: [], schedule: null },
    ...{ volumes: [], created_volumes: [], variables: [] },
  };

  async function open(
    changes: Partial<DeploymentDetail> = {},
    scopes = ['read', 'deploy'],
    preview: () => unknown = () => unchanged,
    more: Readonly<Record<string, () => unknown>> = {},
  ) {
    const begun = createFakeRun();
    const page = await openView(createElement(RevisionsTab, { deployment: createDeployment(changes) }), {
      cached: [[QUERY_KEYS.user, { role: 'member', scopes, account: { id: 'acc_1', name: 'Acme' } }]],
      deployRun: begun.run,
      answers: { 'GET /v1/deployment/rollback/preview': preview, ...more },
      methods: { rollback: (name: string, { revision }: { revision: string }) => `${name} to ${revision}` },
    });
    return { ...page, ...begun };
  }

  // Fails when one that failed, or the one that serves, can be rolled back to.
  test('can be rolled back to if they were ready and don’t serve', async () => {
    const { rows } = await open();
    expect(rows('Revisions').map(([revision, status, , , act]) => [revision, status, act])).toEqual([
      ['shop-3', 'Failed', ''],
      ['shop-2', 'Live', ''],
      ['shop-1', 'Ready', 'Roll back'],
    ]);
  });

  const traffic: Traffic = {
    split: [
      { revision: 'shop-2', percent: 90 },
      { revision: 'shop-1', percent: 10 },
    ],
    tags: [{ tag: 'beta', revision: 'shop-1', url: 'https://beta---shop.berth.test' }],
    canary: null,
  };
  const answers = { 'POST /v1/deployment/traffic': () => traffic };

  test('show their shares and the addresses of their tags, and change them', async () => {
    const { rows, clickOn, type, sent, dialog, until } = await open({ traffic }, undefined, undefined, answers);
    expect(rows('Revisions').map(([revision, , shown]) => [revision, shown])).toEqual([
      ['shop-3', ''],
      ['shop-2', '90 %'],
      ['shop-1', '10 %beta'],
    ]);
    await clickOn('Traffic', 1);
    await type('Share of requests (%)', '25');
    await type('Tags', 'next  old');
    await clickOn('Save');
    expect(sent('POST /v1/deployment/traffic')).toEqual([
      {
        ...{ name: 'shop', split: { 'shop-1': 25 } },
        ...{ set_tags: { next: 'shop-1', old: 'shop-1' }, remove_tags: ['beta'] },
      },
    ]);
    await until(() => expect(dialog()).toBeUndefined());
    await clickOn('End split');
    await clickOn('End split');
    await until(() => expect(sent('POST /v1/deployment/traffic').at(-1)).toEqual({ name: 'shop', split: {} }));
  });

  test('have no share to edit when one is live or a canary is watched', async () => {
    const canary = { revision: 'shop-1', deploy_id: 'dpl_1', ends_at: '2026-01-01T00:00:00Z' };
    const page = await open({ traffic: { ...traffic, canary } });
    expect(document.body.textContent).toContain('shop-1 is a canary');
    expect(page.controls()).not.toContain('End split');
    await page.clickOn('Traffic', 1);
    expect(page.fields()).toEqual(['Tags']);
  });

  test('can be read, and not changed, by a person who may not deploy', async () => {
    const { controls } = await open({ traffic }, ['read']);
    expect(controls().filter((name) => /Traffic|End split|Roll back/.test(name))).toEqual([]);
  });

  // Fails when a rollback is begun without a question, or to another revision than the one whose button was pressed.
  test('are asked about, and the one that was chosen is brought back', async () => {
    const [first] = createDeployment().revisions;
    const revisions = ['shop-2', 'shop-1', 'shop-0'].map((revision) => ({ ...first, revision, status: 'ready' }));
    const { clickOn, until, dialog, done } = await open({ revisions: revisions as DeploymentDetail['revisions'] });
    await clickOn('Roll back', 1);
    await until(() => expect(dialog()).toMatch(/Roll back to shop-0\?.*Nothing changes/));
    expect(done).toEqual([]);
    await clickOn('Roll back');
    expect(done).toEqual([['begin', 'shop', 'shop to shop-0']]);
    await until(() => expect(dialog()).toBeUndefined());
  });

  // Fails when a revision that never was live is said to be an earlier one.
  test('are promoted when they are newer than the live one', async () => {
    const [first] = createDeployment().revisions;
    const named = ['shop-00003-abc', 'shop-00002-abc', 'shop-00001-abc'];
    const revisions = named.map((revision) => ({ ...first, revision, status: 'ready' }));
    const { clickOn, until, dialog, done, rows } = await open({
      revision: named[1] as string,
      revisions: revisions as DeploymentDetail['revisions'],
    });
    expect(rows('Revisions').map((cells) => cells.at(-1))).toEqual(['Promote', '', 'Roll back']);
    await clickOn('Promote');
    await until(() => expect(dialog()).toMatch(/Promote shop-00003-abc\?.*Nothing changes/));
    await clickOn('Promote');
    expect(done).toEqual([['begin', 'shop', 'shop to shop-00003-abc']]);
  });

  // Fails when a change is left out, or the rollback can begin before the changes are listed.
  test('tell every change before one confirms', async () => {
    const answered = Promise.withResolvers<RollbackPreview>();
    const { clickOn, until, dialog, control, sent, done } = await open({}, undefined, () => answered.promise);
    await clickOn('Roll back');
    await until(() => expect(dialog()).toContain('Variables set since then stay saved'));
    expect(sent('GET /v1/deployment/rollback/preview')).toEqual([{ name: 'shop', revision: 'shop-1' }]);
    await clickOn('Roll back');
    expect(done).toEqual([]);
    const mount = (name: string, read_only = false) => ({ name, read_only, sub_path: '' });
    answered.resolve({
      ...unchanged,
      build: { from: `sha256:${'a'.repeat(64)}`, to: `sha256:${'b'.repeat(64)}` },
      settings: [
        { field: 'memory', from: '1Gi', to: '512Mi' },
        { field: 'use_http2', from: true, to: false },
        { field: 'health', from: null, to: { path: '/ready', interval: 10, timeout: 5 } },
      ],
      schedule: { from: { cron: '0 5 * * *', timezone: 'UTC' }, to: null },
      volumes: [{ mount_path: '/data', from: mount('new', true), to: mount('old') }],
      created_volumes: ['old'],
      variables: [
        { key: 'A', change: 'added' },
        { key: 'B', change: 'changed' },
        { key: 'C', change: 'removed' },
      ],
    });
    await until(() => expect(dialog()).toContain('After'));
    const cells = [...document.querySelectorAll('[role="alertdialog"] tbody tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent).join(' | '),
    );
    expect(cells).toEqual([
      'Build | aaaaaaaaaaaa | bbbbbbbbbbbb',
      'Memory | 1Gi | 512Mi',
      'Use HTTP/2 cleartext (h2c) | On | Off',
      'Health check | None | /ready, every 10 s, timeout 5 s',
      'Schedule | 0 5 * * * (UTC) | None',
      'Volume at /data | new (Read-only) | old (deleted; created empty)',
      'Variable A | Not set | Earlier value',
      'Variable B | Current value | Earlier value',
      'Variable C | Current value | Not set',
    ]);
    expect(control('Roll back').hasAttribute('disabled')).toBe(false);
  });

  // Fails when a rollback can begin although its changes are unknown.
  test('whose changes can’t be read are asked for again', async () => {
    let asked = 0;
    const { clickOn, until, dialog, done } = await open({}, undefined, () => {
      if (++asked === 1) throw createError('unavailable', 'The database is busy.');
      return unchanged;
    });
    await clickOn('Roll back');
    await until(() => expect(dialog()).toContain('The database is busy.'));
    await clickOn('Roll back');
    expect(done).toEqual([]);
    await clickOn('Try again');
    await until(() => expect(dialog()).toContain('Nothing changes'));
  });

  // Fails when Escape confirms.
  test('stay as they are when the question is closed', async () => {
    const { clickOn, until, dialog, done, press } = await open();
    await clickOn('Roll back');
    await until(() => expect(dialog()).toBeDefined());
    await press('Escape');
    await until(() => expect(dialog()).toBeUndefined());
    expect(done).toEqual([]);
  });

  test('are only looked at by people who may not deploy', async () => {
    expect((await open({}, ['read'])).controls()).not.toContain('Roll back');
  });

  // Fails when the command of the question rolls back to the revision before instead of the chosen one.
  test('have a command that names the revision', async () => {
    const { clickOn, copyCommands, until, dialog } = await open();
    await clickOn('Roll back');
    await until(() => expect(dialog()).toBeDefined());
    const [cli, curl] = await copyCommands();
    expect(cli).toBe('npx berth rollback shop --revision shop-1');
    expect(curl).toContain('{"name":"shop","revision":"shop-1"}');
  });
});

describe('the deploys', () => {
  const failure = { event_id: 2, status: 'ERROR', code: 'build_failed', message: 'npm ci ended with 1.', log: false };
  const events = [
    { event_id: 1, status: 'BUILDING', message: 'Building.', log: false },
    { event_id: 1, status: 'BUILDING', message: 'npm error', log: true },
    failure,
  ].map((event) => ({ deploy_id: 'dpl_2', timestamp: '2026-01-01T00:00:00Z', ...event }));

  async function open(list: () => readonly DeploySummary[], search = '') {
    const followed: string[] = [];
    const page = await openView(createElement(DeploysTab, { deployment: createDeployment() }), {
      elsewhere: 'Another page',
      address: `/deployments/shop?tab=deploys${search}`,
      answers: { 'GET /v1/deploys': () => ({ deploys: list(), next_page_token: null }) },
      methods: {
        async *followDeploy(id: string) {
          followed.push(id);
          yield* events;
        },
      },
    });
    return { ...page, followed, href: () => page.router.state.location.href };
  }
  const two = [
    createDeploySummary({ deploy_id: 'dpl_2', status: 'failed' }),
    createDeploySummary({ deploy_id: 'dpl_1' }),
  ];

  // Fails when those under way are listed twice on the page: they are above the tabs.
  test('are those that have ended', async () => {
    const { controls, sent } = await open(() => [createDeploySummary({ deploy_id: 'dpl_3', ended_at: null }), ...two]);
    expect(controls().filter((name) => name.includes('Source deploy'))).toHaveLength(2);
    expect(sent('GET /v1/deploys')[0]).toMatchObject({ name: 'shop' });
  });

  // Fails when all reports are read at once, or the address doesn't say which one is open.
  test('open one at a time, with their report', async () => {
    const { clickOn, until, text, href, followed, control } = await open(() => two);
    expect(followed).toEqual([]);
    await clickOn(/Failed.*Source deploy/);
    await until(() => expect(text()).toContain('npm error'));
    expect([href(), followed]).toEqual(['/deployments/shop?tab=deploys&deploy=dpl_2', ['dpl_2']]);
    expect(text()).toContain('npm ci ended with 1.');
    expect(control(/Failed.*Source deploy/).getAttribute('aria-expanded')).toBe('true');
    await clickOn(/Failed.*Source deploy/);
    await until(() => expect(href()).toBe('/deployments/shop?tab=deploys'));
    expect(text()).not.toContain('npm error');
  });

  // Fails when a link to a report opens the list alone.
  test('open from a link', async () => {
    const { until, text, followed } = await open(() => two, '&deploy=dpl_2');
    await until(() => expect(text()).toContain('npm error'));
    expect(followed).toEqual(['dpl_2']);
  });

  // Fails when a list without ended deploys is an empty frame.
  test('that are all still active leave a hint', async () => {
    const { text } = await open(() => [createDeploySummary({ ended_at: null })]);
    expect(text()).toContain('No deploys');
  });

  test('that can’t be read are asked for again', async () => {
    let asked = 0;
    const { clickOn, until, texts, controls } = await open(() => {
      if (++asked === 1) throw createError('unavailable', 'The database is busy.');
      return two;
    });
    await until(() => expect(texts('alert')).toEqual(['The database is busy.Try again']));
    await clickOn('Try again');
    await until(() => expect(controls().filter((name) => name.includes('Source deploy'))).toHaveLength(2));
  });
});

describe('the instances', () => {
  const INSTANCE = {
    ...{ instance: 'inst_1', deployment_name: 'shop', revision: 'shop-2', state: 'ready', busy: true, requests: 0 },
    ...{ started_at: '2026-01-01T00:00:00Z', cpu: 0.256, memory_bytes: 52_428_800, server: 'a1b2' },
  };

  const open = (instances: readonly object[], scopes: readonly string[]) =>
    openView(createElement(InstancesTab, { deployment: createDeployment() }), {
      cached: [[QUERY_KEYS.user, { role: 'member', scopes, account: { id: 'acc_1', name: 'Acme' } }]],
      answers: { 'GET /v1/deployment/instances': () => instances },
    });

  test('have their state, server and load, and lead to their terminal and their logs', async () => {
    const { rows, control } = await open([INSTANCE], ['read', 'logs', 'exec']);
    expect(rows('Instances')[0]).toEqual(
      expect.arrayContaining(['Ready, working', 'shop-2', 'a1b2', '0.26', '50 MiB']),
    );
    expect(control('Open terminal').href).toContain('/deployments/shop?tab=terminal&instance=inst_1');
    const logs = new URL(control('Logs').href).searchParams;
    expect([logs.get('deployment'), logs.get('filter')]).toEqual(['shop', 'resource.labels.instance_id="inst_1"']);
  });

  // Fails when a person is led to what the server refuses.
  test('don’t lead to what a person may not do', async () => {
    const { controls } = await open([INSTANCE], ['read']);
    expect(controls()).not.toEqual(expect.arrayContaining(['Open terminal']));
    expect(controls()).not.toEqual(expect.arrayContaining(['Logs']));
  });

  test('are none while the deployment rests', async () => {
    const { text } = await open([], ['read']);
    expect(text()).toContain('No running instances');
  });
});
