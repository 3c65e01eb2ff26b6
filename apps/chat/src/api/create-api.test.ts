import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '../session/session.ts';
import { ApiError, createApi } from './api.ts';

const fetched = vi.fn<typeof fetch>();

beforeEach(() => void vi.stubGlobal('fetch', fetched));
afterEach(() => {
  vi.unstubAllGlobals();
  fetched.mockReset();
});

/** A session whose tokens are `tokens` in order; it renews while there is another. */
function sessionOf(...tokens: readonly (string | undefined)[]): Session {
  const left = [...tokens];
  return {
    isSignedIn: true,
    canSignIn: true,
    token: async () => left[0],
    async renew() {
      left.shift();
      return left.length > 0;
    },
    signIn: async () => {},
    signInAgain: async () => {},
    signOut: async () => {},
    subscribe: () => () => {},
  };
}

const headersOf = (call: number) => new Headers(fetched.mock.calls[call]?.[1]?.headers);
const answer = (...responses: readonly Response[]) => {
  for (const response of responses) fetched.mockResolvedValueOnce(response);
};
const refusal = (status: number, body: unknown) => Response.json(body, { status });

describe('a call', () => {
  it('has the token and the workspace', async () => {
    answer(Response.json([]));
    await createApi(sessionOf('t1'), 't-1').get('/chats');
    expect(headersOf(0).get('authorization')).toBe('Bearer t1');
    expect(headersOf(0).get('x-workspace')).toBe('t-1');
  });

  // Fails when a call without a token or a workspace names an undefined one.
  it('has neither where there is none', async () => {
    answer(Response.json([]));
    await createApi(sessionOf(undefined)).get('/chats');
    expect([...headersOf(0).keys()]).toEqual([]);
  });

  // Fails when cookies go with a call, or when a redirect takes the token somewhere else.
  it('sends no cookies and follows no redirect', async () => {
    answer(Response.json([]));
    await createApi(sessionOf('t1')).get('/chats');
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({ credentials: 'omit', redirect: 'error' });
  });

  it('may ask for cookies, as the sign-in of a connector does', async () => {
    answer(new Response());
    await createApi(sessionOf('t1')).send('/connectors/x/authorize', { credentials: 'same-origin' });
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({ credentials: 'same-origin', redirect: 'error' });
  });
});

describe('a token that is refused', () => {
  it('is renewed, and the call is sent once more with the new one', async () => {
    answer(refusal(401, {}), Response.json([]));
    await createApi(sessionOf('t1', 't2')).get('/chats');
    expect([headersOf(0), headersOf(1)].map((headers) => headers.get('authorization'))).toEqual([
      'Bearer t1',
      'Bearer t2',
    ]);
  });

  it('ends the session when no other can be had', async () => {
    answer(refusal(401, {}));
    await expect(createApi(sessionOf('t1')).get('/chats')).rejects.toMatchObject({
      status: 401,
      message: 'Your sign-in has ended. Reload the page to sign in again.',
    });
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  // Fails when the second refusal is followed by a third try.
  it('is renewed once for each call', async () => {
    answer(refusal(401, { detail: 'no' }), refusal(401, { detail: 'still no' }));
    const failed = createApi(sessionOf('t1', 't2', 't3')).get('/chats');
    await expect(failed).rejects.toMatchObject({ status: 401, message: 'still no' });
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it('is not renewed where none was sent', async () => {
    answer(refusal(401, { detail: 'Sign in.' }));
    const failed = createApi(sessionOf(undefined, 't2')).get('/chats');
    await expect(failed).rejects.toMatchObject({ status: 401, message: 'Sign in.' });
    expect(fetched).toHaveBeenCalledTimes(1);
  });
});

describe('what a refusal says', () => {
  it.each([
    ['the sentence of the agent', { detail: 'No such chat.' }, 'No such chat.'],
    ['the first field that is wrong', { detail: [{ loc: ['body', 'name'], msg: 'too long' }] }, 'body.name: too long'],
    ['the status, for an empty list', { detail: [] }, 'status 422'],
    ['the status, without a detail', {}, 'The agent answered with status 422.'],
  ])('is %s', async (_, body, message) => {
    answer(refusal(422, body));
    const failed = createApi(sessionOf('t1')).get('/chats');
    await expect(failed).rejects.toEqual(new ApiError(422, message));
  });

  it('is the status where a gateway answers with a page', async () => {
    answer(new Response('<h1>Bad gateway</h1>', { status: 502 }));
    const failed = createApi(sessionOf('t1')).get('/chats');
    await expect(failed).rejects.toMatchObject({ status: 502, message: 'The agent answered with status 502.' });
  });

  it('is left to the browser where nothing answered', async () => {
    fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    await expect(createApi(sessionOf('t1')).get('/chats')).rejects.toBeInstanceOf(TypeError);
  });
});
