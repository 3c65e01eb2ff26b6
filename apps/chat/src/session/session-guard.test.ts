import { expect, test, vi } from 'vitest';
import type { Session } from './session.ts';
import { guardSession } from './session-guard.ts';
import type { SharedTokens, Tokens } from './shared-tokens.ts';

const tokenOf = (sub: string): Tokens => ({ access: `x.${btoa(JSON.stringify({ sub }))}.y`, expiresAtMs: 1_000 });

/** A session whose tokens the test sets, as this tab or another one does. */
function openGuarded(first: Tokens | undefined, canSignIn = true) {
  let tokens = first;
  const listeners = new Set<(from: 'here' | 'elsewhere') => void>();
  const shared: Pick<SharedTokens, 'get' | 'subscribe'> = {
    get: () => tokens,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const session: Session = {
    isSignedIn: true,
    canSignIn,
    token: async () => tokens?.access,
    renew: async () => false,
    signIn: async () => {},
    signInAgain: async () => {},
    signOut: async () => {},
    subscribe: () => () => {},
  };
  const leave = vi.fn();
  return {
    guarded: guardSession(session, shared as SharedTokens, leave),
    leave,
    become(next: Tokens | undefined, from: 'here' | 'elsewhere') {
      tokens = next;
      for (const listener of [...listeners]) listener(from);
    },
  };
}

// Fails when a call rejects, or goes out without a token, instead of waiting for the sign-in.
test('a call waits while the sign-in has ended, and goes on with the new token', async () => {
  const { guarded, leave, become } = openGuarded(tokenOf('ada'));
  become(undefined, 'here');
  const token = guarded.token();
  await vi.waitFor(() => expect(guarded.hasEnded.get()).toBe(true));
  become({ ...tokenOf('ada'), expiresAtMs: 9 }, 'here');
  expect(await token).toBe(tokenOf('ada').access);
  expect(guarded.hasEnded.get()).toBe(false);
  expect(leave).not.toHaveBeenCalled();
});

test('a token that the agent refuses is renewed by signing in again', async () => {
  const { guarded, become } = openGuarded(tokenOf('ada'));
  const renewed = guarded.renew();
  await vi.waitFor(() => expect(guarded.hasEnded.get()).toBe(true));
  become(tokenOf('ada'), 'here');
  expect(await renewed).toBe(true);
});

// Fails when the subjects of both tokens aren't compared: the next person would see the chats of the one before.
test('the page is left when somebody else signs in, and when the person signs out in another tab', () => {
  const other = openGuarded(tokenOf('ada'));
  other.become(tokenOf('bo'), 'elsewhere');
  expect(other.leave).toHaveBeenCalledOnce();
  const gone = openGuarded(tokenOf('ada'));
  gone.become(undefined, 'elsewhere');
  gone.become(tokenOf('ada'), 'elsewhere');
  expect(gone.leave).toHaveBeenCalledOnce();
});

test('an agent without sign-in never asks for one', async () => {
  const { guarded } = openGuarded(undefined, false);
  expect(await guarded.token()).toBeUndefined();
  expect(await guarded.renew()).toBe(false);
  expect(guarded.hasEnded.get()).toBe(false);
});
