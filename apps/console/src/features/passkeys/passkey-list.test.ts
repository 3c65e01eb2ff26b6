// @vitest-environment happy-dom
import { createError, type Passkey } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openView } from '../../testing/open-view.ts';
import type { PasskeyBrowser } from './passkey-browser.ts';
import { PasskeyList } from './passkey-list.tsx';

const LIST = 'GET /v1/user/passkeys';
const OPTIONS = 'POST /v1/user/passkeys/options';
const ADD = 'POST /v1/user/passkeys';
const RENAME = 'POST /v1/user/passkeys/rename';
const REMOVE = 'DELETE /v1/user/passkeys';

const passkey = (id: string, name: string): Passkey => ({
  ...{ id, name, credential_id: `credential ${id}`, is_synced: true },
  ...{ created_at: '2026-01-01T00:00:00Z', last_used_at: null },
});

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PublicKeyCredential', {});
  vi.stubGlobal('location', { hostname: 'berth.test', origin: 'https://berth.test' });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

interface Setup {
  readonly answers?: Readonly<Record<string, (call: { body: Readonly<Record<string, unknown>> }) => unknown>>;
  readonly create?: PasskeyBrowser['create'];
}

async function open({ answers = {}, create }: Setup = {}) {
  const kept = [passkey('pk_1', 'Phone'), passkey('pk_2', 'Laptop')];
  const accepted: unknown[] = [];
  const made: unknown[] = [];
  const passkeys = {
    create:
      create ??
      (async (options: unknown) => {
        made.push(options);
        return { id: 'new' };
      }),
    tellAccepted: async (person: unknown) => void accepted.push(person),
  } as unknown as PasskeyBrowser;
  const page = await openView(createElement(PasskeyList, { person: { id: 'usr_1' } }), {
    passkeys,
    answers: {
      [LIST]: () => [...kept],
      [OPTIONS]: () => ({ challenge: 'c1' }),
      [ADD]: () => {
        kept.push(passkey('pk_3', 'Key'));
        return kept[2];
      },
      [REMOVE]: () => ({}),
      ...answers,
    },
  });
  const names = () =>
    page
      .controls()
      .filter((name) => name.startsWith('Rename '))
      .map((name) => name.slice(7));
  return { ...page, accepted, made, names };
}

describe('adding a passkey', () => {
  test('asks the browser, keeps what it made and lists it', async () => {
    const { clickOn, until, names, made, sent, text } = await open();
    await clickOn('Add a passkey');
    await until(() => expect(names()).toEqual(['Phone', 'Laptop', 'Key']));
    expect([made, sent(ADD)]).toEqual([[{ challenge: 'c1' }], [{ credential: { id: 'new' } }]]);
    expect(text()).toContain('Passkey “Key” added.');
  });

  // Fails when a session that is too old is a dead end, or the password isn't sent.
  test('asks for the password when the sign-in is a while ago', async () => {
    const { clickOn, type, until, dialog, sent, names, made } = await open({
      answers: {
        [OPTIONS]: ({ body }) => {
          if (body['password'] === undefined) throw createError('forbidden', 'Sign in again.');
          if (body['password'] !== 'right words') throw createError('invalid', 'The password is wrong.');
          return { challenge: 'c2' };
        },
      },
    });
    await clickOn('Add a passkey');
    await until(() => expect(dialog()).toContain('Confirm it’s you'));
    expect(made).toEqual([]);
    await type('Password', 'wrong words');
    await clickOn('Continue');
    await until(() => expect(dialog()).toContain('Wrong password.'));
    await type('Password', 'right words');
    await clickOn('Continue');
    await until(() => expect(names()).toEqual(['Phone', 'Laptop', 'Key']));
    expect(sent(OPTIONS)).toEqual(
      [{}, { password: 'wrong words' }, { password: 'right words' }].map((body) =>
        'password' in body ? body : { password: undefined },
      ),
    );
    expect(dialog()).toBeUndefined();
  });

  // Fails when the dialog comes back by itself, or its error stays in the list.
  test('is given up with the dialog', async () => {
    const { clickOn, until, dialog, press, texts, control } = await open({
      answers: {
        [OPTIONS]: () => {
          throw createError('forbidden', 'Sign in again.');
        },
      },
    });
    await clickOn('Add a passkey');
    await until(() => expect(dialog()).toBeDefined());
    await press('Escape');
    await until(() => expect(dialog()).toBeUndefined());
    expect([texts('alert'), control('Add a passkey').disabled]).toEqual([[], false]);
  });

  // Fails when the words of the browser are shown, or the server is told of a passkey that there isn't.
  test('says why the browser made none', async () => {
    const { clickOn, until, texts, sent, control } = await open({
      create: () => Promise.reject(new DOMException('The operation either timed out.', 'NotAllowedError')),
    });
    await clickOn('Add a passkey');
    await until(() => expect(texts('alert')).toEqual([expect.stringContaining('was dismissed')]));
    expect([sent(ADD), control('Add a passkey').disabled]).toEqual([[], false]);
  });

  // Fails when a page without https offers what the browser refuses there.
  test('isn’t offered where the browser can’t', async () => {
    vi.stubGlobal('isSecureContext', false);
    const { controls, names } = await open();
    expect(controls()).not.toContain('Add a passkey');
    expect(names()).toEqual(['Phone', 'Laptop']);
  });
});

describe('removing a passkey', () => {
  // Fails when the password manager goes on offering it, or is told that another one is gone.
  test('asks, takes it out and tells the password manager', async () => {
    const { clickOn, until, dialog, sent, names, accepted } = await open();
    await clickOn('Remove Laptop');
    await until(() => expect(dialog()).toContain('Remove “Laptop”?'));
    expect(sent(REMOVE)).toEqual([]);
    await clickOn('Remove');
    await until(() => expect(names()).toEqual(['Phone']));
    expect(sent(REMOVE)).toEqual([{ id: 'pk_2' }]);
    expect(accepted).toEqual([{ id: 'usr_1', credentialIds: ['credential pk_1'] }]);
  });

  // Fails when a passkey that the server keeps is gone from the list and from the password manager.
  test('that is refused leaves everything as it was', async () => {
    const { clickOn, until, texts, names, accepted, press, dialog } = await open({
      answers: {
        [REMOVE]: () => {
          throw createError('conflict', 'This is your only way to sign in.');
        },
      },
    });
    await clickOn('Remove Phone');
    await clickOn('Remove');
    await until(() => expect(texts('alert')).toEqual(['This is your only way to sign in.']));
    await press('Escape');
    await until(() => expect(dialog()).toBeUndefined());
    expect([names(), accepted]).toEqual([['Phone', 'Laptop'], []]);
  });
});

describe('renaming a passkey', () => {
  // Fails when an empty name is sent, or spaces around it are.
  test.each([
    [' Work phone ', 'Work phone'],
    ['   ', 'Phone'],
  ])('to %j names it %j', async (typed, wanted) => {
    const { clickOn, type, until, sent, dialog } = await open({ answers: { [RENAME]: () => ({}) } });
    await clickOn('Rename Phone');
    await type('Name', typed);
    await clickOn('Save');
    await until(() => expect(dialog()).toBeUndefined());
    expect(sent(RENAME)).toEqual([{ id: 'pk_1', name: wanted }]);
  });

  test('that is refused keeps the name that was typed', async () => {
    const { clickOn, type, until, texts, field } = await open({
      answers: {
        [RENAME]: () => {
          throw createError('not_found', 'This passkey was removed.');
        },
      },
    });
    await clickOn('Rename Phone');
    await type('Name', 'Work');
    await clickOn('Save');
    await until(() => expect(texts('alert')).toEqual(['This passkey was removed.']));
    expect(field('Name').value).toBe('Work');
  });
});
