import { describe, expect, test } from 'vitest';
import { createPlatform } from './create-platform.ts';
import { createSession } from './create-session.ts';

/** A server that answers each path with a status; what is asked of it is kept. */
function setup(answers: Readonly<Record<string, number>>) {
  const asked: Request[] = [];
  const current = { ...answers };
  const send = (async (input: string, init: RequestInit) => {
    const request = new Request(input, init);
    asked.push(request);
    const status = current[new URL(request.url).pathname] ?? 404;
    if (status === 0) throw new TypeError('fetch failed');
    return new Response(JSON.stringify(status === 200 ? {} : { detail: 'no' }), { status });
  }) as typeof fetch;
  const platform = createPlatform({
    baseUrl: 'http://berth.test',
    fetch: send,
    accountId: () => 'acc_1',
    onSignedOut: () => session.noteSignedOut(),
  });
  const session = createSession(() => platform);
  const states: string[] = [];
  session.subscribe(() => states.push(session.state));
  return { session, platform, states, asked, answer: (path: string, status: number) => (current[path] = status) };
}

const SESSION = '/v1/auth/get-session';
const SIGN_IN = '/v1/auth/sign-in/email';

describe('a session', () => {
  test('is found again when the page is loaded', async () => {
    const { session, asked } = setup({ [SESSION]: 200 });
    await session.check();
    expect(session.state).toBe('signed-in');
    expect(asked[0]?.headers.get('x-berth-browser')).toBe('1');
    expect(asked[0]?.headers.get('x-account')).toBe('acc_1');
  });

  test('that ends in mid-work is expired, not signed out, until its person signs in again', async () => {
    const { session, platform, states } = setup({ [SESSION]: 200, [SIGN_IN]: 200, '/v1/user': 401 });
    await session.check();
    await expect(platform.client.whoami()).rejects.toThrow('no');
    await session.signIn('a@b.c', 'x');
    expect(states).toEqual(['signed-in', 'expired', 'signed-in']);
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
