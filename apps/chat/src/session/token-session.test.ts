import { afterEach, expect, it, vi } from 'vitest';
import { createTokens } from '../testing/create-tokens.ts';
import { createFixedSession, createGivenSession } from './token-session.ts';

afterEach(() => void vi.unstubAllGlobals());

it('uses one token for everybody, which can’t be renewed', async () => {
  const session = createFixedSession('dev');
  expect([session.isSignedIn, session.canSignIn]).toEqual([true, false]);
  expect(await session.token()).toBe('dev');
  expect(await session.renew()).toBe(false);
});

it('needs no token where the agent asks for none', async () => {
  expect(await createFixedSession().token()).toBeUndefined();
});

it('has the token that the person gave in another tab', async () => {
  const session = await createGivenSession(createTokens(undefined, { access: 'given' }));
  expect(session.isSignedIn).toBe(true);
  expect(await session.token()).toBe('given');
});

it('is signed in once the person gives a token', async () => {
  const tokens = createTokens();
  const session = await createGivenSession(tokens);
  expect([session.isSignedIn, await session.token()]).toEqual([false, undefined]);
  tokens.set({ access: 'given' });
  expect([session.isSignedIn, await session.token()]).toEqual([true, 'given']);
});

// Fails when a refused token stays: each call would send it again.
it('drops a token that is refused', async () => {
  const tokens = createTokens({ access: 'bad' });
  const session = await createGivenSession(tokens);
  expect(await session.renew()).toBe(false);
  expect(session.isSignedIn).toBe(false);
});

it('takes the newer token of another tab in place of a refused one', async () => {
  const tokens = createTokens({ access: 'bad' }, { access: 'good' });
  const session = await createGivenSession(tokens);
  expect(await session.renew()).toBe(true);
  expect(await session.token()).toBe('good');
});

it('signs out with an empty storage and a new page', async () => {
  // Fails when the storage goes first: the other tabs would not be told which sign-in has ended.
  const clear = vi.fn(() => expect(tokens.get()).toBeUndefined());
  const reload = vi.fn();
  vi.stubGlobal('sessionStorage', { clear });
  vi.stubGlobal('location', { reload });
  const tokens = createTokens({ access: 'a' });
  await (await createGivenSession(tokens)).signOut();
  expect(tokens.get()).toBeUndefined();
  expect([clear, reload].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});
