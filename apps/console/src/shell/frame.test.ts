// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { act, createElement } from 'react';
import { jsx } from 'react/jsx-runtime';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { QUERY_KEYS } from '../api/query-keys.ts';
import { useRead } from '../api/use-read.ts';
import { createMemoryStorage } from '../render-view.test-support.ts';
import { createDeployment, createDeploySummary } from '../testing/create-deployment.ts';
import { type OpenSetup, OWNER, openView, say } from '../testing/open-view.ts';
import { Frame } from './frame.tsx';

const ACCOUNTS = [
  { id: 'acc_1', name: 'Acme' },
  { id: 'acc_2', name: 'Beta Ltd' },
];

/** A page that reads something. */
function Page() {
  const { data } = useRead(QUERY_KEYS.keys, (client) => client.get('/v1/user/keys'));
  return createElement('p', null, data ? `${data.length} keys` : 'nothing yet');
}

async function open(setup: OpenSetup = {}) {
  return openView(jsx(Frame, { children: createElement(Page) }), {
    address: '/deployments/shop',
    cached: [[QUERY_KEYS.user, OWNER]],
    ...setup,
    answers: { 'GET /v1/user/accounts': () => ACCOUNTS, 'GET /v1/user/keys': () => [], ...setup.answers },
  });
}

describe('the navigation', () => {
  // Fails when the page that is shown is marked by its color alone.
  test('marks the page that is shown', async () => {
    const view = await open({ address: '/volumes/media' });
    const current = view.all('link').filter((link) => link.getAttribute('aria-current') === 'page');
    expect(current.map(({ textContent }) => textContent)).toEqual([say('nav.volumes')]);
  });

  test('begins with a link that skips it', async () => {
    const view = await open();
    expect(view.all('link')[0]?.getAttribute('href')).toBe('#content');
    expect(view.document.getElementById('content')?.tabIndex).toBe(-1);
  });

  test('is walked by two letters', async () => {
    const view = await open();
    await view.press('g');
    await view.press('v');
    expect(view.address()).toBe('/volumes');
  });

  test('lacks the pages that the person’s role doesn’t cover', async () => {
    const view = await open({ cached: [[QUERY_KEYS.user, { ...OWNER, scopes: ['read'] }]] });
    expect(view.find('link', say('nav.keys'))).toBeUndefined();
    expect(view.find('link', say('nav.volumes'))).toBeDefined();
  });
});

describe('the command palette', () => {
  // Fails when services, agents, volumes, people or deploys aren't found, or what was used last isn't first.
  test('finds objects by parts of their names, and shows those used last first', async () => {
    vi.stubGlobal('localStorage', createMemoryStorage());
    const view = await open({
      answers: {
        'GET /v1/deployment/list': () => [
          createDeployment({ name: 'tide-board' }),
          createDeployment({ name: 'helper', kind: 'agent' }),
        ],
        'GET /v1/volume/list': () => [{ name: 'tides', attached_to: [], created_at: '', size_bytes: 0 }],
        'GET /v1/user/members': () => [{ user_id: 'usr_1', name: 'Ada', email: 'ada@example.com' }],
        'GET /v1/deploys': () => ({ deploys: [createDeploySummary({ revision: 'tide-board-00002-abc' })] }),
      },
    });
    const search = async (text: string) => {
      await view.press('k', { ctrlKey: true });
      await view.until(() => view.get('option', /tides/));
      if (text !== '') await view.fill(view.field('Command palette'), text);
      return view.all('option').map(({ textContent }) => textContent);
    };
    expect(await search('tide')).toEqual(['tide-board', 'tides', 'tide-board-00002-abc']);
    expect(view.all('group').map((group) => group.textContent)).toEqual([
      ...['Servicestide-board', 'Volumestides', 'Deploystide-board-00002-abc'],
    ]);
    await view.press('Escape');
    expect(await search('hlpr')).toEqual(['helper']);
    await view.press('Escape');
    expect(await search('ada')).toEqual(['Ada · ada@example.com']);
    await view.press('Escape');
    await search('helper');
    await view.press('Enter');
    expect(view.address()).toBe('/deployments/helper');
    expect((await search(''))[0]).toBe('helper');
    await view.press('ArrowRight');
    expect(view.all('option').map(({ textContent }) => textContent)).toEqual([
      ...['Open', 'Logs', 'Deploy', 'Copy URL', 'Settings'],
    ]);
    await view.click(view.get('option', 'Logs'));
    expect(view.address()).toBe('/logs?deployment=helper');
    vi.unstubAllGlobals();
  });

  test('is opened by keys, leads to a page, and goes', async () => {
    const view = await open();
    await view.press('k', { ctrlKey: true });
    await view.until(() => view.get('option', /Logs/));
    await view.fill(view.field('Command palette'), 'logs');
    await view.press('Enter');
    expect(view.address()).toBe('/logs');
    expect(view.find('option', /Logs/)).toBeUndefined();
  });
});

describe('a platform that stops answering', () => {
  // Fails when the page looks as if nothing had happened, or the note stays for good.
  test('is told of until it answers again', async () => {
    let isDown = true;
    const read = () => {
      if (isDown) throw createError('unavailable', 'Not now.');
      return [];
    };
    const view = await open({ answers: { 'GET /v1/user/keys': read } });
    const note = () => view.all('status').some(({ textContent }) => textContent === say('shell.offline'));
    expect(note()).toBe(true);
    isDown = false;
    await act(() => view.queries.refetchQueries({ queryKey: QUERY_KEYS.keys }));
    await view.settle();
    expect([note(), view.text().includes('0 keys')]).toEqual([false, true]);
  });

  test('isn’t told of when it only refuses', async () => {
    const refuse = () => {
      throw createError('forbidden', 'No.');
    };
    const view = await open({ answers: { 'GET /v1/user/keys': refuse } });
    expect(view.text()).not.toContain(say('shell.offline'));
  });
});

describe('the account menu', () => {
  const choose = async (view: Awaited<ReturnType<typeof open>>, item: string) => {
    await view.click(view.get('button', /Ada/));
    await view.click(view.get('menuitem', item));
  };

  // Fails when the page of the account before stays: its deployment doesn't exist in the other one.
  test('goes to the other account, and reads everything anew', async () => {
    vi.stubGlobal('location', new URL('http://berth.test/deployments/shop'));
    onTestFinished(() => void vi.unstubAllGlobals());
    const view = await open();
    expect(view.sent('GET /v1/user/keys')).toHaveLength(1);
    await choose(view, 'Beta Ltd');
    expect([view.api.accountChoice.id, view.address()]).toEqual(['acc_2', '/deployments']);
    expect(view.sent('GET /v1/user/keys')).toHaveLength(2);
    expect(view.text()).toContain(say('shell.switched', { account: 'Beta Ltd' }));
  });

  test('says which account is shown', async () => {
    const view = await open();
    await view.click(view.get('button', /Ada/));
    expect(view.get('menuitem', 'Acme').getAttribute('aria-current')).toBe('true');
    expect(view.get('menuitem', 'Beta Ltd').getAttribute('aria-current')).toBeNull();
  });

  test('offers no choice to somebody with one account', async () => {
    const view = await open({ answers: { 'GET /v1/user/accounts': () => ACCOUNTS.slice(0, 1) } });
    await view.click(view.get('button', /Ada/));
    expect(view.all('menuitem').map(({ textContent }) => textContent)).toEqual([
      say('account.title'),
      say('shell.signOut'),
    ]);
  });

  test('signs out', async () => {
    const view = await open();
    await choose(view, say('shell.signOut'));
    expect(view.sent('session.signOut')).toHaveLength(1);
  });
});
