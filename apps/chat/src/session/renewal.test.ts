import { expect, it, vi } from 'vitest';
import { createStorage } from '../testing/create-storage.ts';
import { SignInRefused } from './provider.ts';
import { createRenewal } from './renewal.ts';
import { isSamePerson } from './session-guard.ts';
import { createSharedTokens, type SharedTokens, type Tokens } from './shared-tokens.ts';

const FIRST: Tokens = { access: 'a1', refresh: 'r1', expiresAtMs: 1_000 };

/** Tabs of one browser. */
function openTabs(count: number): readonly SharedTokens[] {
  const name = `tabs-${Math.random()}`;
  const common = createStorage();
  return Array.from({ length: count }, () => {
    const channel = new BroadcastChannel(name) as BroadcastChannel & { unref(): void };
    channel.unref();
    return createSharedTokens({ storage: createStorage(), common, channel: channel as never });
  });
}

it('gives a new tab the tokens of the others, and tells all of them when somebody signs out', async () => {
  const [one, other] = openTabs(2) as [SharedTokens, SharedTokens];
  one.set(FIRST);
  await vi.waitFor(() => expect(other.get()).toMatchObject(FIRST));
  const heard: string[] = [];
  other.subscribe((from) => void heard.push(from));
  one.end();
  await vi.waitFor(() => expect(heard).toEqual(['elsewhere']));
  expect([one.get(), other.get()]).toEqual([undefined, undefined]);
});

it('renews once for all tabs, however often it is asked', async () => {
  const [one, other] = openTabs(2) as [SharedTokens, SharedTokens];
  one.set(FIRST);
  await vi.waitFor(() => expect(other.get()).toMatchObject(FIRST));
  const brought: string[] = [];
  const renewAt = async (refresh: string): Promise<Tokens> => {
    brought.push(refresh);
    return { access: `a${brought.length + 1}`, refresh: `r${brought.length + 1}`, expiresAtMs: 2_000 };
  };
  const [renew, renewOther] = [createRenewal(one, renewAt), createRenewal(other, renewAt)];
  expect(await Promise.all([renew(), renew(), renewOther()])).toEqual([true, true, true]);
  expect(brought).toEqual(['r1']);
  expect(other.get()?.access).toBe('a2');
});

/** A renewal that the test lets end. */
function heldRenewal() {
  const held = Promise.withResolvers<Tokens>();
  const isAsked = Promise.withResolvers<void>();
  const renewAt = () => {
    isAsked.resolve();
    return held.promise;
  };
  return { renewAt, isAsked: isAsked.promise, end: () => held.resolve({ access: 'a2', refresh: 'r2' }) };
}

// Fails when a renewal under way signs the person in again.
it('brings nothing back that ended meanwhile, in whichever tab', async () => {
  const [one, other] = openTabs(2) as [SharedTokens, SharedTokens];
  for (const ending of [one, other]) {
    one.set(FIRST);
    await vi.waitFor(() => expect(other.get()).toMatchObject(FIRST));
    const { renewAt, isAsked, end } = heldRenewal();
    const renewed = createRenewal(one, renewAt)();
    await isAsked;
    ending.end();
    // Also before the tab has heard of it.
    end();
    await renewed;
    await vi.waitFor(() => expect([one.get(), other.get()]).toEqual([undefined, undefined]));
  }
});

// Fails when the renewed tokens of the one before replace those of who signed in meanwhile.
it('leaves alone who has signed in meanwhile', async () => {
  const [one] = openTabs(1) as [SharedTokens];
  one.set(FIRST);
  const { renewAt, isAsked, end } = heldRenewal();
  const renewed = createRenewal(one, renewAt)();
  await isAsked;
  one.set({ access: 'of another', refresh: 'r9' });
  end();
  expect(await renewed).toBe(true);
  expect(one.get()).toMatchObject({ access: 'of another', refresh: 'r9' });
});

it('waits for newer tokens that another tab has, however busy that is', async () => {
  const listeners: ((event: MessageEvent) => void)[] = [];
  const channel = {
    addEventListener: (_type: string, listener: never) => void listeners.push(listener),
    postMessage: () => {},
  };
  const common = createStorage();
  const own = createSharedTokens({ storage: createStorage(), common, channel: channel as never });
  own.set(FIRST);
  const other = createSharedTokens({
    storage: createStorage(),
    common,
    channel: {
      addEventListener: () => {},
      // It comes later than anybody would wait for who did not know of it.
      postMessage: (data: unknown) => void setTimeout(() => listeners[0]?.({ data } as MessageEvent), 400),
    } as never,
  });
  other.set({ access: 'a2', refresh: 'r2', expiresAtMs: 2_000 });
  const renew = createRenewal(own, () => Promise.reject(new Error('a refresh token was used twice')));
  expect(await renew()).toBe(true);
  expect(own.get()?.access).toBe('a2');
});

it('ends for this tab when it is refused, and stays when nobody could be asked', async () => {
  const [tokens] = openTabs(1) as [SharedTokens];
  tokens.set(FIRST);
  const answers = [new TypeError('offline'), new SignInRefused('no')];
  const renew = createRenewal(tokens, () => Promise.reject(answers.shift()));
  await expect(renew()).rejects.toThrow('offline');
  expect(tokens.get()).toMatchObject(FIRST);
  expect(await renew()).toBe(false);
  expect(tokens.get()).toBeUndefined();
});

it('takes no tokens that are older than its own', async () => {
  const [one, other] = openTabs(2) as [SharedTokens, SharedTokens];
  one.set({ access: 'new', expiresAtMs: 2_000 });
  await vi.waitFor(() => expect(other.get()?.access).toBe('new'));
  other.set({ access: 'old', expiresAtMs: 1_000 });
  await one.ask(20);
  expect(one.get()?.access).toBe('new');
});

it('tells persons apart by their tokens, where those say who they are of', () => {
  const tokenOf = (sub: string) => ({ access: `x.${btoa(JSON.stringify({ sub }))}.y` });
  expect(isSamePerson(tokenOf('a'), tokenOf('a'))).toBe(true);
  expect(isSamePerson(tokenOf('a'), tokenOf('b'))).toBe(false);
  expect(isSamePerson({ access: 'opaque' }, tokenOf('b'))).toBe(true);
  expect(isSamePerson(undefined, tokenOf('b'))).toBe(true);
});
