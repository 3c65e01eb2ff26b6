// @vitest-environment happy-dom
import { createError, type DeploymentDetail, type DeploySummary } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createDeployment, createDeploySummary } from '../../testing/create-deployment.ts';
import { createFakeRun } from '../../testing/create-fake-run.ts';
import { type OpenSetup, openView } from '../../testing/open-view.ts';
import { DeployContext } from '../deploys/views/deploy-context.ts';
import { DeploymentPage } from './deployment-page.tsx';

const GET = 'GET /v1/deployment/{name}';
const DELETE = 'POST /v1/deployment/delete';

interface Setup extends Pick<OpenSetup, 'address'> {
  readonly get?: () => DeploymentDetail;
  readonly deploys?: readonly DeploySummary[];
  readonly scopes?: readonly string[];
  readonly remove?: () => unknown;
}

async function open(setup: Setup = {}) {
  const { get = () => createDeployment(), deploys = [], scopes = ['read', 'deploy'], remove = () => ({}) } = setup;
  const chosen: unknown[] = [];
  const begun = createFakeRun();
  const view = createElement(
    DeployContext,
    { value: (target) => void chosen.push(target?.name) },
    createElement(DeploymentPage),
  );
  const page = await openView(view, {
    // The tab of the schedule has the least to show.
    elsewhere: 'Another page',
    address: setup.address ?? '/deployments/shop?tab=schedule',
    cached: [[QUERY_KEYS.user, { role: 'member', scopes, account: { id: 'acc_1', name: 'Acme' } }]],
    deployRun: begun.run,
    methods: { changeState: (change: string, name: string) => [change, name] },
    answers: {
      [GET]: get,
      'GET /v1/deploys': () => ({ deploys, next_page_token: null }),
      'GET /v1/env/list': () => [],
      [DELETE]: remove,
    },
  });
  return { ...page, ...begun, chosen, href: () => page.router.state.location.href };
}

// Fails when the terminal is offered to a person whose commands the server refuses, also by an address.
test('the terminal is a tab of people with the scope exec', async () => {
  const names = async (scopes: readonly string[]) => {
    const { controls, unmount } = await open({ scopes, address: '/deployments/shop?tab=schedule' });
    const found = controls();
    await unmount();
    return found;
  };
  expect(await names(['read', 'deploy'])).not.toContain('Terminal');
  expect(await names(['read', 'exec'])).toContain('Terminal');
});

describe('deleting a deployment', () => {
  // Fails when a slip deletes a service: its name has to be typed.
  test('asks for its name', async () => {
    const { clickOn, type, until, dialog, control, calls } = await open();
    await clickOn('More actions');
    await clickOn('Delete');
    await until(() => expect(dialog()).toContain('Type shop to confirm'));
    for (const typed of ['', 'sho', 'shop ', 'Shop']) {
      await type('Type shop to confirm', typed);
      expect(control('Delete').disabled).toBe(true);
    }
    await type('Type shop to confirm', 'shop');
    expect(control('Delete').disabled).toBe(false);
    expect(calls.map(({ route }) => route)).not.toContain(DELETE);
  });

  // Fails when the page of the deleted deployment stays, or its data stays in the cache for the next of that name.
  test('leaves its page and forgets its data', async () => {
    const { clickOn, type, until, sent, href, queries, text } = await open();
    queries.setQueryData(QUERY_KEYS.environment('shop'), ['API_KEY']);
    queries.setQueryData(QUERY_KEYS.deployments, []);
    await clickOn('More actions');
    await clickOn('Delete');
    await type('Type shop to confirm', 'shop');
    await clickOn('Delete');
    await until(() => expect(href()).toBe('/deployments'));
    expect(sent(DELETE)).toEqual([{ name: 'shop' }]);
    await until(() => expect(queries.getQueryData(QUERY_KEYS.environment('shop'))).toBeUndefined());
    expect(queries.getQueryState(QUERY_KEYS.deployments)?.isInvalidated).toBe(true);
    expect(text()).toContain('shop deleted');
  });

  // Fails when the dialog closes, or the page is left, although the service is still there.
  test('stays on the page when it is refused', async () => {
    const { clickOn, type, until, texts, href, dialog } = await open({
      remove: () => {
        throw createError('conflict', 'A deploy is under way. Cancel it first.');
      },
    });
    await clickOn('More actions');
    await clickOn('Delete');
    await type('Type shop to confirm', 'shop');
    await clickOn('Delete');
    await until(() => expect(texts('alert')).toEqual(['A deploy is under way. Cancel it first.']));
    expect([dialog() !== undefined, href()]).toEqual([true, '/deployments/shop?tab=schedule']);
  });
});

// Fails when people without the right are offered what the server refuses them.
test.each([
  [['read', 'deploy'], true],
  [['read'], false],
])('somebody with %j may change it: %s', async (scopes, may) => {
  const { controls, control, clickOn } = await open({ scopes });
  expect([controls().includes('Restart'), controls().includes('Deploy')]).toEqual([may, may]);
  expect(control('Open').getAttribute('href')).toBe('https://shop.berth.test');
  await clickOn('More actions');
  const commands = ['Copy CLI command', 'Copy as curl'];
  expect(controls().slice(may ? -5 : -3)).toEqual([
    'Logs',
    ...(may ? ['Stop'] : []),
    ...commands,
    ...(may ? ['Delete'] : []),
  ]);
});

// Fails when a click stops a service without a question.
test('a deployment is restarted at once, and stopped after a question', async () => {
  const { clickOn, done, until, dialog } = await open();
  await clickOn('Restart');
  await clickOn('More actions');
  await clickOn('Stop');
  await until(() => expect(dialog()).toContain('requests are answered with 503'));
  expect(done).toEqual([['begin', 'shop', ['restart', 'shop']]]);
  await clickOn('Stop');
  expect(done.slice(1)).toEqual([['begin', 'shop', ['stop', 'shop']]]);
});

test('a stopped deployment is resumed, and can’t be restarted or stopped', async () => {
  const { clickOn, controls, done, text } = await open({
    get: () => createDeployment({ status: 'stopped', instances: 0 }),
  });
  expect(controls()).not.toContain('Restart');
  expect(text()).toContain('Stopped. Requests are answered with 503');
  await clickOn('Resume');
  expect(done).toEqual([['begin', 'shop', ['resume', 'shop']]]);
  await clickOn('More actions');
  expect(controls()).not.toContain('Stop');
});

test('another source is deployed to this deployment', async () => {
  const { clickOn, chosen } = await open();
  await clickOn('Deploy');
  expect(chosen).toEqual(['shop']);
});

describe('a deployment that can’t be shown', () => {
  // Fails when an address that is mistyped looks like a fault, or offers to retry.
  test('because there is none says how to make it', async () => {
    const { text, controls } = await open({
      get: () => {
        throw createError('not_found', 'There is no deployment “shop”.');
      },
    });
    expect(text()).toContain('No deployment with this name');
    expect(text()).toContain('npx berth deploy . --name shop');
    expect(controls()).not.toContain('Restart');
    expect(controls()).not.toContain('Try again');
  });

  // Fails when a platform that is busy looks like a deployment that was deleted.
  test('because the server fails is asked for again', async () => {
    let asked = 0;
    const { texts, clickOn, until, controls } = await open({
      get: () => {
        if (++asked === 1) throw createError('unavailable', 'The database is busy.');
        return createDeployment();
      },
    });
    await until(() => expect(texts('alert')).toEqual(['The database is busy.Try again']));
    expect(controls()).not.toContain('Restart');
    await clickOn('Try again');
    await until(() => expect(controls()).toContain('Restart'));
  });
});

// Fails when an error of the poll replaces the page that is there: what is typed in it would be lost.
test('a page that is there stays when a later answer fails', async () => {
  let isBroken = false;
  const { queries, text, texts, until, settle } = await open({
    get: () => {
      if (isBroken) throw createError('unavailable', 'The database is busy.');
      return createDeployment();
    },
  });
  await until(() => expect(text()).toContain('No schedule'));
  isBroken = true;
  await queries.refetchQueries({ queryKey: QUERY_KEYS.deployment('shop'), exact: true });
  await settle();
  expect(queries.getQueryState(QUERY_KEYS.deployment('shop'))?.status).toBe('error');
  expect([text().includes('No schedule'), texts('alert')]).toEqual([true, []]);
});

// Fails when "Ready" is all that a person learns of a service without instances, or of one that never ran.
test.each([
  [{ revision: 'shop-00012-abc', instances: 2 }, 'Serving revision 12'],
  [{ revision: 'shop-00012-abc', instances: 0 }, 'Scaled to zero. Revision 12 starts on the next request.'],
  [{ revision: null, status: 'failed' as const }, 'Not serving. No deploy has succeeded yet.'],
  [{ revision: null, status: 'building' as const }, 'First deploy in progress'],
  [{ status: 'deleting' as const }, 'Deleting'],
])('a deployment with %j says “%s”', async (changes, sentence) => {
  const { text, until } = await open({ get: () => createDeployment(changes) });
  await until(() => expect(text()).toContain(sentence));
});

describe('the last deploy', () => {
  const failed = createDeploySummary({ deploy_id: 'dpl_9', status: 'failed', message: 'npm ci ended with 1.' });

  // Fails when a service that goes on with its old revision hides that the new one failed.
  test('that failed is told of, with a way to its report', async () => {
    const { text, control } = await open({ deploys: [failed, createDeploySummary()] });
    expect(text()).toContain('npm ci ended with 1.');
    expect(control('View error').getAttribute('href')).toBe('/deployments/shop?tab=deploys&deploy=dpl_9');
  });

  // Fails when a failed first deploy is told of in two places.
  test('that was the first and failed is told of once', async () => {
    const { text } = await open({
      deploys: [failed],
      get: () => createDeployment({ revision: null, status: 'failed' }),
    });
    expect(text().split('Not serving. No deploy has succeeded yet.')).toHaveLength(2);
    expect(text().split('npm ci ended with 1.')).toHaveLength(2);
    expect(text()).not.toContain('Last deploy failed');
  });

  // Fails when an old failure is told of for ever, or beside its own report.
  test.each<[string, readonly DeploySummary[], string]>([
    ['that went well after a failed one', [createDeploySummary(), failed], '?tab=schedule'],
    ['that was cancelled', [{ ...failed, status: 'cancelled' }], '?tab=schedule'],
    ['whose report is open', [failed], '?tab=schedule&deploy=dpl_9'],
  ])('%s isn’t told of', async (_, deploys, search) => {
    const { text, controls } = await open({ deploys, address: `/deployments/shop${search}` });
    expect(text()).not.toContain('Last deploy failed');
    expect(controls()).not.toContain('View error');
  });

  // Fails when those that have ended are listed as active.
  test('that is still active is above the tabs', async () => {
    const active = createDeploySummary({ deploy_id: 'dpl_10', status: 'building', ended_at: null, message: 'npm ci' });
    const { controls, text } = await open({ deploys: [active, failed] });
    expect(text()).toContain('npm ci');
    expect(controls().filter((name) => name === 'Follow the deploy of shop')).toHaveLength(1);
    expect(text()).not.toContain('Last deploy failed');
  });
});

// Fails when the address doesn't say which tab is open: a reload would show another one.
test('a tab is chosen with the keyboard, and kept in the address', async () => {
  const { clickOn, press, until, href, text } = await open();
  await clickOn('Schedule');
  await press('ArrowLeft');
  await press('Enter');
  await until(() => expect(href()).toBe('/deployments/shop?tab=environment'));
  await until(() => expect(text()).toContain('No variables'));
});
