// @vitest-environment happy-dom
import { type ApiKey, createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../../testing/open-view.ts';
import { KeysPage } from './keys-page.tsx';

const LIST = 'GET /v1/user/keys';
const CREATE = 'POST /v1/user/keys';
const REVOKE = 'DELETE /v1/user/keys';
const SECRET = 'berth_sk_0123456789';
const key = (id: string, name: string) =>
  ({ id, name, start: 'berth_sk_01', scopes: ['read'], last_used_at: null, expires_at: null }) as unknown as ApiKey;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

async function open(answers: OpenSetup['answers'] = {}) {
  return openView(createElement(KeysPage), {
    cached: [[QUERY_KEYS.user, OWNER]],
    answers: {
      [LIST]: () => [key('key_1', 'ci'), key('key_2', 'laptop')],
      [CREATE]: () => ({ secret: SECRET }),
      ...answers,
    },
  });
}

async function openDialog(answers?: OpenSetup['answers']) {
  const view = await open(answers);
  await view.click(view.get('button', say('keys.create')));
  await view.fill(view.field(say('shell.name')), 'ci');
  return view;
}

describe('a new key', () => {
  // Fails when a key that was asked for with the defaults may do more than read, or never ends.
  test('may read for 90 days, unless more is chosen', async () => {
    const view = await openDialog();
    await view.press('Enter');
    expect(view.sent(CREATE)).toEqual([{ name: 'ci', scopes: ['read'], expires_at: '2026-04-01T00:00:00.000Z' }]);
  });

  test('may do what was ticked, and lives as long as was chosen', async () => {
    const view = await openDialog();
    await view.click(view.get('checkbox', new RegExp(say('keys.scope.deploy'))));
    await view.click(view.get('checkbox', new RegExp(say('keys.scope.read'))));
    await view.focus(view.get('combobox', say('keys.expiry')));
    await view.press('End');
    await view.press('Enter');
    await view.press('End');
    await view.press('Enter');
    await view.click(view.get('button', say('keys.create')));
    expect(view.sent(CREATE)).toEqual([{ name: 'ci', scopes: ['deploy'] }]);
  });

  test('isn’t created without a scope, and the dialog says so', async () => {
    const view = await openDialog();
    await view.click(view.get('checkbox', new RegExp(say('keys.scope.read'))));
    expect(view.text()).toContain(say('keys.pickScope'));
    await view.click(view.get('button', say('keys.create')));
    expect(view.sent(CREATE)).toEqual([]);
  });

  test('that is refused keeps the form, with the reason', async () => {
    const refuse = () => {
      throw createError('conflict', 'There is a key of this name.');
    };
    const view = await openDialog({ [CREATE]: refuse });
    await view.press('Enter');
    expect(view.get('alert').textContent).toContain('There is a key of this name.');
    expect(view.field(say('shell.name')).value).toBe('ci');
  });
});

describe('the secret of a new key', () => {
  // Fails when a stray key or click closes the dialog: the secret can't be shown again.
  test('stays until the person says that they have it', async () => {
    const view = await openDialog();
    await view.press('Enter');
    const dialog = () => view.find('dialog', say('keys.created.title'));
    await view.press('Escape');
    await view.click(view.document.body);
    expect(dialog()?.textContent).toContain(SECRET);
    await view.click(view.get('button', say('keys.done')));
    expect(dialog()).toBeUndefined();
  });

  // Fails when the secret is kept beyond its dialog: whoever comes to the page next could read it.
  test('is nowhere once the dialog is closed', async () => {
    const view = await openDialog();
    await view.press('Enter');
    await view.click(view.get('button', say('keys.done')));
    await view.click(view.get('button', say('keys.create')));
    expect(view.text()).not.toContain(SECRET);
    expect(
      JSON.stringify(
        view.queries
          .getQueryCache()
          .getAll()
          .map(({ state }) => state.data),
      ),
    ).not.toContain(SECRET);
  });

  test('is there although the list can’t be read again', async () => {
    let reads = 0;
    const read = () => {
      if (reads++ > 0) throw createError('unavailable', 'Not now.');
      return [key('key_1', 'ci')];
    };
    const view = await openDialog({ [LIST]: read });
    await view.press('Enter');
    expect(view.get('dialog', say('keys.created.title')).textContent).toContain(SECRET);
  });
});

describe('revoking', () => {
  const revokeSecond = async (view: Awaited<ReturnType<typeof open>>) => {
    const [, second] = view.all('button', new RegExp(`^${say('keys.revoke')}`));
    if (!second) throw new Error('no second key');
    await view.click(second);
  };

  // Fails when another key than the one in the question is revoked.
  test('ends the key that the question names', async () => {
    const view = await open({ [REVOKE]: () => ({}) });
    await revokeSecond(view);
    expect(view.get('alertdialog').textContent).toContain('laptop');
    expect(view.sent(REVOKE)).toEqual([]);
    await view.click(view.get('button', say('keys.revoke')));
    expect(view.sent(REVOKE)).toEqual([{ id: 'key_2' }]);
    expect(view.sent(LIST)).toHaveLength(2);
    expect(view.text()).toContain(say('keys.revoked', { name: 'laptop' }));
  });

  // Fails when a refusal looks like success: the key would still work.
  test('that fails says so, and claims nothing', async () => {
    const refuse = () => {
      throw createError('unavailable', 'The platform restarts.');
    };
    const view = await open({ [REVOKE]: refuse });
    await revokeSecond(view);
    await view.click(view.get('button', say('keys.revoke')));
    expect(view.get('alert').textContent).toContain('The platform restarts.');
    expect(view.text()).not.toContain(say('keys.revoked', { name: 'laptop' }));
  });
});
