import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import { createError } from '@berth/contract';
import { describe, expect, test, vi } from 'vitest';
import { createMemoryStorage } from '../render-view.test-support.ts';
import { createAccountChoice } from './account-choice.ts';
import { createSession } from './create-session.ts';

const SESSION = 'GET /v1/auth/session';
const SIGN_IN = 'POST /v1/auth/sign-in/email';
const FIRST_RUN = 'POST /v1/auth/first-run';
const SIGN_OUT = 'POST /v1/auth/sign-out';

const user = (id: string) => ({ user: { id, name: 'Ada', email: 'ada@example.org' } });
const current = (id: string) => ({ session: user(id) });
const nobody = { session: null };
const refused = createError('unauthenticated', 'Sign in.');
const away = createError('unavailable', 'The platform is restarting.');

/** A session of one tab. `answers` may be changed; an error is thrown. `log` has the steps in their order. */
function setup(first: Readonly<Record<string, unknown>> = {}) {
  const answers: Record<string, unknown> = { [SESSION]: current('usr_1'), [SIGN_IN]: user('usr_1'), ...first };
  const log: unknown[] = [];
  let hear: (event: MessageEvent) => void = () => {};
  const routes = [SESSION, SIGN_IN, FIRST_RUN, SIGN_OUT].map((route) => [
    route,
    async () => {
      log.push(route);
      const answer = await answers[route];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  ]);
  const client = createFakeCalls<ControlPaths>(Object.fromEntries(routes));
  const session = createSession({
    client: () => client,
    channel: {
      postMessage: (data) => log.push(['told', data]),
      addEventListener: (_: string, listener: unknown) => {
        hear = listener as typeof hear;
      },
    },
    onEnter: (id) => log.push(['enter', id, session.state]),
  });
  session.subscribe(() => log.push(session.state));
  return {
    ...{ session, log, answers },
    /** Another tab tells of something. */
    tell: (data: unknown) => hear({ data } as MessageEvent),
    forget: () => void log.splice(0),
  };
}

/** A tab whose session has expired while somebody used it. */
async function setupExpired() {
  const tab = setup();
  await tab.session.check();
  tab.answers[SESSION] = nobody;
  return tab;
}

describe('a session', () => {
  // Fails when calls can be made before the account of the person is known: they would go to another account.
  test('names the person before the state changes', async () => {
    const { session, log } = setup();
    await session.check();
    expect(log).toEqual([SESSION, ['enter', 'usr_1', 'unknown'], 'signed-in']);
  });

  // Fails when each check names the person again, which would read everything anew.
  test('names a person once', async () => {
    const { session, log, forget } = setup();
    await session.check();
    forget();
    await session.check();
    await session.signIn('ada@example.org', 'secret words');
    expect(log.filter((step) => Array.isArray(step) && step[0] === 'enter')).toEqual([]);
  });

  // Fails when every call that was refused reads the session by itself.
  test('is read once for all who ask at the same time, and anew afterwards', async () => {
    const { session, log } = setup();
    await Promise.all([session.check(), session.check(), session.check()]);
    expect(log.filter((step) => step === SESSION)).toHaveLength(1);
    await session.check();
    expect(log.filter((step) => step === SESSION)).toHaveLength(2);
  });

  // Fails when a failed check stands for all later ones.
  test('is read anew after a failure', async () => {
    const { session, answers } = setup({ [SESSION]: away });
    await session.check();
    expect(session.state).toBe('unreachable');
    answers[SESSION] = current('usr_1');
    await session.check();
    expect(session.state).toBe('signed-in');
  });

  test('begins with the first run, and the other tabs hear of it', async () => {
    const { session, log } = setup({ [FIRST_RUN]: user('usr_1') });
    await session.beginFirstRun({ token: 's3cret', email: 'ada@example.org', password: 'twelve letters' });
    expect(log).toEqual([FIRST_RUN, ['enter', 'usr_1', 'unknown'], 'signed-in', ['told', 'session']]);
  });

  // Fails when a sign-in that failed is told as one that worked.
  test('doesn’t begin when the server refuses', async () => {
    const { session, log } = setup({ [FIRST_RUN]: refused, [SIGN_IN]: refused });
    await expect(session.beginFirstRun({ token: 'x', email: 'a@b.c', password: 'p' })).rejects.toBe(refused);
    await expect(session.signIn('a@b.c', 'p')).rejects.toBe(refused);
    expect([session.state, session.personId, log]).toEqual(['unknown', undefined, [FIRST_RUN, SIGN_IN]]);
  });
});

describe('signing out', () => {
  test('ends the session in all tabs', async () => {
    const { session, log, forget } = setup({ [SIGN_OUT]: {} });
    await session.check();
    forget();
    await session.signOut();
    expect(log).toEqual([SIGN_OUT, 'signed-out', ['told', 'signed-out']]);
    expect(session.personId).toBeUndefined();
  });

  // Fails when the page says that somebody is signed out while their cookie is still valid.
  test('that fails leaves everybody signed in', async () => {
    const { session, log, forget } = setup({ [SIGN_OUT]: away });
    await session.check();
    forget();
    await expect(session.signOut()).rejects.toBe(away);
    expect([session.state, session.personId, log]).toEqual(['signed-in', 'usr_1', [SIGN_OUT]]);
  });
});

describe('what another tab tells', () => {
  // Fails when a tab goes on with the data of a person who signed out in another one.
  test('signs this one out without asking the server', async () => {
    const { session, tell, log, forget } = setup();
    await session.check();
    forget();
    tell('signed-out');
    expect([session.state, session.personId, log]).toEqual(['signed-out', undefined, ['signed-out']]);
  });

  // Fails when tabs answer each other without end.
  test('makes this one read the session, and isn’t told on', async () => {
    const { session, tell, log } = setup();
    tell('session');
    await vi.waitFor(() => expect(session.state).toBe('signed-in'));
    expect(log).toEqual([SESSION, ['enter', 'usr_1', 'unknown'], 'signed-in']);
  });

  test.each([undefined, null, 'hello', { type: 'session' }])('and isn’t known is ignored: %j', async (data) => {
    const { tell, log } = setup();
    tell(data);
    await new Promise(setImmediate);
    expect(log).toEqual([]);
  });
});

describe('a call that waits for a sign-in', () => {
  // Fails when a page without a session asks for one that nobody has: every call would open a dialog.
  test('doesn’t wait when nobody was signed in', async () => {
    const { session, log } = setup({ [SESSION]: nobody });
    await session.check();
    log.length = 0;
    expect(await session.renew(undefined)).toBe(false);
    expect([session.state, log]).toEqual(['signed-out', []]);
  });

  // Fails when a 401 of a session that another tab has renewed opens the dialog.
  test('goes on at once when the session is valid again', async () => {
    const { session } = setup();
    await session.check();
    expect(await session.renew(undefined)).toBe(true);
    expect(session.state).toBe('signed-in');
  });

  // Fails when it goes on waiting for a person who won't come back.
  test('ends when its person signs out in another tab', async () => {
    const { session, tell } = await setupExpired();
    const waits = session.renew(undefined);
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    tell('signed-out');
    expect(await waits).toBe(false);
  });

  // Fails when another person's sign-in makes the calls of the first one in their name.
  test('ends when another person signs in in another tab', async () => {
    const { session, tell, answers } = await setupExpired();
    const waits = session.renew(undefined);
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    answers[SESSION] = current('usr_2');
    tell('session');
    expect(await waits).toBe(false);
    expect(session.personId).toBe('usr_2');
  });

  // Fails when a platform that restarts is taken for a sign-out, or for a sign-in.
  test('goes on waiting while the platform is away', async () => {
    const { session, answers } = await setupExpired();
    let isOver = false;
    const waits = session.renew(undefined).finally(() => {
      isOver = true;
    });
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    answers[SESSION] = away;
    await session.check();
    await new Promise(setImmediate);
    expect([session.state, isOver]).toEqual(['expired', false]);
    await session.signIn('ada@example.org', 'secret words');
    expect(await waits).toBe(true);
  });

  // Fails when a page that was left keeps its calls waiting, or they end without the reason.
  test('is given up with its signal, before and while it waits', async () => {
    const { session } = await setupExpired();
    const leaving = new AbortController();
    const waits = session.renew(leaving.signal);
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    leaving.abort(new Error('left'));
    await expect(waits).rejects.toThrow('left');
    await expect(session.renew(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(session.state).toBe('expired');
  });
});

describe('the account of a tab', () => {
  // Fails when the choice of a tab isn't kept over a reload.
  test('is kept until the person has no access to it any more', () => {
    const storage = createMemoryStorage();
    const choice = createAccountChoice(storage);
    choice.enter('usr_1');
    choice.choose('acc_2');
    const reloaded = createAccountChoice(storage);
    reloaded.enter('usr_1');
    reloaded.forget();
    expect([reloaded.id, createAccountChoice(storage).id, storage.kept.size]).toEqual([undefined, undefined, 0]);
  });

  // Fails when the choice of an invitation passes to the next person of the tab.
  test('of an invitation belongs to the person who joined by it', () => {
    const storage = createMemoryStorage();
    const choice = createAccountChoice(storage);
    choice.choose('acc_3');
    choice.enter('usr_1');
    const reloaded = createAccountChoice(storage);
    reloaded.enter('usr_2');
    expect([choice.id, reloaded.id]).toEqual(['acc_3', undefined]);
  });
});
