// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createDeployment } from '../../testing/create-deployment.ts';
import { OWNER, openView } from '../../testing/open-view.ts';
import { DeployContext } from '../deploys/views/deploy-context.ts';
import { readDeploymentSearch } from './deployment-tabs.ts';
import { DeploymentsPage } from './deployments-page.tsx';

const deployments = (...names: string[]) =>
  names.map((name, at) =>
    createDeployment({
      ...{ name, url: `https://${name}.berth.test`, status: name === 'broken' ? 'failed' : 'ready' },
      ...{ updated_at: `2026-01-0${at + 1}T00:00:00Z`, created_at: '2026-01-01T00:00:00Z' },
    }),
  );
const MANY = deployments('a-shop', 'blog', 'broken', 'data', 'z-shop');

/** The first cell has the name, and the URL for phones. */
const nameIn = (cell: string) => cell.replace(/^(.+)\1\.berth\.test$/, '$1');

async function open(list: () => unknown = () => MANY, activity: () => unknown = () => ({ deployments: [] })) {
  const chosen: unknown[] = [];
  const view = createElement(
    DeployContext,
    { value: (target) => void chosen.push(target) },
    createElement(DeploymentsPage),
  );
  const page = await openView(view, {
    cached: [[QUERY_KEYS.user, OWNER]],
    answers: {
      'GET /v1/deployment/list': list,
      'GET /v1/deploys': () => ({ deploys: [], next_page_token: null }),
      'GET /v1/activity': activity,
    },
  });
  return { ...page, chosen, names: () => page.rows('Deployments').map(([name = '']) => nameIn(name)) };
}

describe('the list of deployments', () => {
  // Fails when the deploy of a key without a record looks like one of the platform.
  test.each([
    [{ kind: 'key', id: 'key_1', name: null } as const, 'a deleted key'],
    [{ kind: 'key', id: 'key_1', name: 'ci', is_deleted: true } as const, 'ci (deleted key)'],
    [{ kind: 'system', id: null, name: null } as const, 'Berth'],
  ])('names %j as the author of a deploy', async (actor, words) => {
    const last_deploy = { deploy_id: 'dpl_1', status: 'done', created_at: '2026-01-01T00:00:00Z', actor } as const;
    const { rows, until } = await open(() => [createDeployment({ last_deploy })]);
    await until(() => expect(rows('Deployments').flat().join()).toContain(words));
  });

  // Fails when the order isn't that of the last change, or the row leads elsewhere.
  test('begins with the one that changed last', async () => {
    const { names, control } = await open();
    expect(names()).toEqual(['z-shop', 'data', 'broken', 'blog', 'a-shop']);
    expect(control('blog').getAttribute('href')).toBe('/deployments/blog');
    expect(document.querySelectorAll('a[href="https://blog.berth.test"]')).toHaveLength(2);
  });

  test('is searched and put in another order', async () => {
    const { names, type, choose, until } = await open();
    await type('Search deployments', 'SHOP ready');
    await until(() => expect(names()).toEqual(['z-shop', 'a-shop']));
    await choose('Order', 'By name');
    await until(() => expect(names()).toEqual(['a-shop', 'z-shop']));
    await type('Search deployments', '');
    await until(() => expect(names()).toHaveLength(5));
    await choose('Order', 'By status');
    await until(() => expect(names()[0]).toBe('broken'));
  });

  // Fails when a reload loses the filters.
  test('keeps its filters in the address', async () => {
    const { choose, names, until, address } = await open();
    await choose('Status', 'Failed');
    await until(() => expect(names()).toEqual(['broken']));
    expect(address()).toContain('status=failed');
    await choose('Kind', 'Agent');
    await until(() => expect(address()).toContain('kind=agent'));
  });

  // Fails when a search without results looks like an account without deployments.
  test('says when nothing matches', async () => {
    const { type, until, texts, field } = await open();
    await type('Search deployments', 'nothing');
    await until(() => expect(texts('status')).toContain('Nothing matches “nothing”.'));
    expect(field('Search deployments').value).toBe('nothing');
  });

  // Fails when a few rows have a search that is larger than they are.
  test('of four has no search, and says how to get more', async () => {
    const { fields, text } = await open(() => MANY.slice(0, 4));
    expect(fields()).toEqual([]);
    expect(text()).toContain('Drop a folder anywhere on this page');
  });

  test('without any says how to get one', async () => {
    const { text, chosen, clickOn } = await open(() => []);
    expect(text()).toContain('Nothing is deployed yet');
    expect(text()).toContain('npx berth deploy ./my-project');
    await clickOn('Deploy');
    expect(chosen).toEqual([undefined]);
  });

  // Fails when a list that can't be read looks empty: people would deploy what they have already.
  test('that can’t be read is asked for again', async () => {
    let asked = 0;
    const { texts, text, clickOn, until, names } = await open(() => {
      if (++asked === 1) throw createError('unavailable', 'The database is busy.');
      return MANY;
    });
    await until(() => expect(texts('alert')).toEqual(['The database is busy.Try again']));
    expect(text()).not.toContain('Nothing is deployed yet');
    await clickOn('Try again');
    await until(() => expect(names()).toHaveLength(5));
  });

  // Fails when the bars have no words, or one failed request is left out of them.
  test('has the requests of the last hour as text', async () => {
    const counts = [{ name: 'blog', requests: [0, 30, 12], errors: [0, 0, 1] }];
    const { rows } = await open(undefined, () => ({ deployments: counts }));
    const cells = rows('Deployments').map(([name = '', , , activity]) => [nameIn(name), activity]);
    expect(cells.find(([name]) => name === 'blog')?.[1]).toBe('42 requests, 1 failed');
    expect(cells.find(([name]) => name === 'data')?.[1]).toBe('–');
  });

  // Fails when a row needs its page to be opened first, or deleting isn't last or doesn't ask.
  test('has a menu in each row', async () => {
    const writeText = vi.fn(async (_text: string) => {});
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { clickOn, all, dialog, chosen, until, address } = await open();
    const choose = async (label: string) => {
      await clickOn('Actions for blog');
      await clickOn(label);
    };
    await clickOn('Actions for blog');
    expect(all('menuitem').map(({ textContent }) => textContent)).toEqual([
      ...['Open', 'Logs', 'Deploy', 'Copy URL', 'Settings', 'Copy CLI command', 'Copy as curl', 'Delete'],
    ]);
    await clickOn('Copy URL');
    expect(writeText.mock.calls).toEqual([['https://blog.berth.test']]);
    await clickOn('Actions for blog');
    await clickOn('Deploy', 1);
    expect(chosen).toMatchObject([{ name: 'blog' }]);
    await choose('Delete');
    await until(() => expect(dialog()).toContain('Type blog to confirm'));
    await clickOn('Cancel');
    await choose('Logs');
    expect(address()).toBe('/logs?deployment=blog');
  });

  // Fails when the list waits for the counts, or fails with them.
  test('is there without the counts', async () => {
    const { names, texts } = await open(undefined, () => {
      throw createError('unavailable', 'The logs are being moved.');
    });
    expect([names().length, texts('alert')]).toEqual([5, []]);
  });
});

describe('the address of a deployment’s page', () => {
  const span = { from: '2026-01-01T00:00Z', to: '2026-01-02T00:00:00.5Z' };

  test.each([
    [{}, {}],
    [
      { tab: 'settings', deploy: 'dpl_1' },
      { tab: 'settings', deploy: 'dpl_1' },
    ],
    // Defaults are left out, so that there is one address for a view.
    [{ tab: 'overview', window: '1h' }, {}],
    [{ window: '24h' }, { window: '24h' }],
    [span, span],
    // Two times come before a window.
    [{ ...span, window: '24h' }, span],
  ])('%j is read as %j', (search, expected) => {
    expect(readDeploymentSearch(search)).toEqual(expected);
  });

  // Fails when an address that somebody wrote by hand breaks the page.
  test.each([
    [{ tab: 'nonsense' }],
    [{ tab: ['settings'] }],
    [{ deploy: '../../keys' }],
    [{ deploy: 'a'.repeat(65) }],
    [{ deploy: 7 }],
    [{ window: '2y' }],
    [{ from: span.from }],
    [{ from: span.to, to: span.from }],
    [{ from: span.from, to: span.from }],
    [{ from: '2026-01-01', to: '2026-01-02' }],
    [{ from: 1, to: 2 }],
  ])('%j is read as that of the overview', (search) => {
    expect(readDeploymentSearch(search)).toEqual({});
  });
});
