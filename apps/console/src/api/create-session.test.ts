import type { SendForm } from '@berth/client';
import { deployEvent } from '@berth/client/testing';
import { describe, expect, test, vi } from 'vitest';
import { createAccountChoice } from './account-choice.ts';
import { createConsoleClient } from './create-console-client.ts';
import { createSession, type TabChannel } from './create-session.ts';

/** The channel of the tabs of one browser: each hears the others. */
function createChannels() {
  const heard: { of: TabChannel; listener: (event: MessageEvent) => void }[] = [];
  return (): TabChannel => {
    const channel: TabChannel = {
      postMessage(data: unknown) {
        for (const { of, listener } of heard) if (of !== channel) listener({ data } as MessageEvent);
      },
      addEventListener: (_: string, listener: unknown) =>
        void heard.push({ of: channel, listener: listener as (event: MessageEvent) => void }),
    };
    return channel;
  };
}

/** A server that answers each path with a status, and who asked with their id; what is asked of it is kept. */
function setup(answers: Readonly<Record<string, number>>, channel: TabChannel = createChannels()()) {
  const asked: Request[] = [];
  const current = { ...answers };
  let personId = 'usr_a';
  const statusOf = (path: string) => current[path] ?? 404;
  const send = (async (input: string, init: RequestInit) => {
    const request = new Request(input, init);
    asked.push(request);
    const status = statusOf(new URL(request.url).pathname);
    if (status === 0) throw new TypeError('fetch failed');
    const user = { id: personId, email: 'ada@example.org' };
    // The route of the session answers 200 with null where a call is refused with 401.
    if (request.url.endsWith(SESSION) && [200, 401].includes(status)) {
      return new Response(JSON.stringify({ session: status === 200 ? { user } : null }));
    }
    return new Response(JSON.stringify(status === 200 ? { user } : { detail: 'no' }), { status });
  }) as typeof fetch;
  const sendForm: SendForm = async ({ url, headers }) => {
    asked.push(new Request(url, { method: 'POST', headers }));
    const status = statusOf(new URL(url).pathname);
    return {
      status,
      headers: new Headers(),
      body: new Blob([status === 200 ? deployEvent(1, 'DONE', 'Done.') : '{}']).stream(),
    };
  };
  const client = createConsoleClient({
    baseUrl: 'http://berth.test',
    ...{ fetch: send, sendForm },
    accountId: () => 'acc_1',
    renew: (signal) => session.renew(signal),
  });
  const session = createSession({ client: () => client, channel });
  const states: string[] = [];
  session.subscribe(() => states.push(session.state));
  return {
    ...{ session, client, states, asked },
    timesAsked: (path: string) => asked.filter(({ url }) => new URL(url).pathname === path).length,
    answer: (path: string, status: number) => (current[path] = status),
    become: (id: string) => (personId = id),
    /** The session is over; the calls to `paths` are refused. */
    expire: (...paths: string[]) => {
      for (const path of [SESSION, ...paths]) current[path] = 401;
    },
    revive: (...paths: string[]) => {
      for (const path of [SESSION, ...paths]) current[path] = 200;
    },
  };
}

const SESSION = '/v1/auth/session';
const SIGN_IN = '/v1/auth/sign-in/email';
const KEYS = '/v1/user/keys';

/** Signed in, with the answers of a session that is over to come. */
async function setupExpired(...paths: string[]) {
  const world = setup({ [SESSION]: 200, [SIGN_IN]: 200 });
  await world.session.check();
  world.expire(...paths);
  return world;
}

describe('a session', () => {
  test('is found again when the page is loaded', async () => {
    const { session, asked } = setup({ [SESSION]: 200 });
    await session.check();
    expect([session.state, session.personId]).toEqual(['signed-in', 'usr_a']);
    expect(asked[0]?.headers.get('x-berth-browser')).toBe('1');
    expect(asked[0]?.headers.get('x-account')).toBe('acc_1');
  });

  test('is not lost to a wrong password, nor to a server that is away for a moment', async () => {
    const { session, answer } = setup({ [SESSION]: 401, [SIGN_IN]: 401 });
    await session.check();
    await expect(session.signIn('a@b.c', 'wrong')).rejects.toThrow('no');
    expect(session.state).toBe('signed-out');
    answer(SIGN_IN, 200);
    await session.signIn('a@b.c', 'right');
    answer(SESSION, 403);
    await session.check();
    expect(session.state).toBe('signed-in');
  });

  test('of nobody is signed out, and none can be told of while the platform is away', async () => {
    const { session, answer } = setup({ [SESSION]: 403 });
    await session.check();
    expect(session.state).toBe('unreachable');
    answer(SESSION, 401);
    await session.check();
    expect(session.state).toBe('signed-out');
  });
});

describe('a session that ends in mid-work', () => {
  test('is begun anew by its person, and what was refused is asked for once more', async () => {
    const { session, client, states, revive, timesAsked } = await setupExpired('/v1/user', KEYS);
    const read = client.get('/v1/user');
    const change = client.post('/v1/user/keys', { body: { name: 'ci', scopes: ['read'] } });
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    revive('/v1/user', KEYS);
    await session.signIn('a@b.c', 'x');
    await Promise.all([read, change]);
    expect(states).toEqual(['signed-in', 'expired', 'signed-in']);
    expect([timesAsked('/v1/user'), timesAsked(KEYS)]).toEqual([2, 2]);
  });

  test('lets an upload go on', async () => {
    const { session, client, revive, timesAsked } = await setupExpired('/v1/deploy');
    const events = client.deploy({ fields: { function_name: 'x', volumes: {} }, archive: new Blob(['x']) });
    const first = events.next();
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    revive('/v1/deploy');
    await session.signIn('a@b.c', 'x');
    expect((await first).value).toMatchObject({ status: 'DONE' });
    expect(timesAsked('/v1/deploy')).toBe(2);
  });

  test('is not waited for twice by one call, nor by one that was given up', async () => {
    const { session, client } = await setupExpired(KEYS);
    const refused = expect(client.get('/v1/user/keys')).rejects.toThrow('no');
    const stop = new AbortController();
    const left = expect(client.get('/v1/user/keys', { signal: stop.signal })).rejects.toThrow('left');
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    stop.abort(new Error('left'));
    await left;
    await session.signIn('a@b.c', 'x');
    await refused;
  });

  test('is somebody else’s when they sign in: nothing is asked again in their name', async () => {
    const { session, client, states, become, timesAsked } = await setupExpired(KEYS);
    const change = expect(client.post('/v1/user/keys', { body: { name: 'ci', scopes: ['read'] } })).rejects.toThrow(
      'no',
    );
    await vi.waitFor(() => expect(session.state).toBe('expired'));
    become('usr_b');
    await session.signIn('b@b.c', 'x');
    await change;
    expect(states).toEqual(['signed-in', 'expired', 'signed-out', 'signed-in']);
    expect(timesAsked(KEYS)).toBe(1);
  });
});

describe('the tabs of a browser', () => {
  test('sign out together, and go on together', async () => {
    const open = createChannels();
    const one = setup({ [SESSION]: 200, [SIGN_IN]: 200, '/v1/auth/sign-out': 200 }, open());
    const other = setup({ [SESSION]: 200 }, open());
    await Promise.all([one.session.check(), other.session.check()]);
    await one.session.signOut();
    expect([one.session.state, other.session.state]).toEqual(['signed-out', 'signed-out']);
    await one.session.signIn('a@b.c', 'x');
    await vi.waitFor(() => expect(other.session.state).toBe('signed-in'));
    other.expire('/v1/user');
    const waits = other.client.get('/v1/user');
    await vi.waitFor(() => expect(other.session.state).toBe('expired'));
    other.revive('/v1/user');
    await one.session.signIn('a@b.c', 'x');
    await waits;
  });
});

describe('the account that is chosen', () => {
  const stored = (kept: Record<string, string> = {}) => ({
    getItem: (name: string) => kept[name] ?? null,
    setItem(name: string, value: string) {
      kept[name] = value;
    },
    removeItem(name: string) {
      delete kept[name];
    },
  });

  test('is kept for its person, and for nobody else', () => {
    const storage = stored();
    const choice = createAccountChoice(storage);
    choice.enter('usr_a');
    choice.choose('acc_2');
    const reloaded = createAccountChoice(storage);
    reloaded.enter('usr_a');
    expect(reloaded.id).toBe('acc_2');
    reloaded.enter('usr_b');
    expect([reloaded.id, createAccountChoice(storage).id]).toEqual([undefined, undefined]);
  });

  test('is that of the invitation for who joins by one', () => {
    const choice = createAccountChoice(stored());
    choice.choose('acc_3');
    choice.enter('usr_c');
    expect(choice.id).toBe('acc_3');
  });
});
