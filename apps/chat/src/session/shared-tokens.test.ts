import { describe, expect, it, vi } from 'vitest';
import { createStorage } from '../testing/create-storage.ts';
import { createSharedTokens } from './shared-tokens.ts';

/** Tabs whose messages arrive when the test says so. */
function openTabs(count: number) {
  const common = createStorage();
  const listeners: ((event: MessageEvent) => void)[] = [];
  const sent: { readonly from: number; readonly data: unknown }[] = [];
  const tabs = Array.from({ length: count }, (_, from) => {
    const storage = createStorage();
    const channel = {
      addEventListener(_type: string, listener: never) {
        listeners[from] = listener;
      },
      postMessage: (data: unknown) => void sent.push({ from, data }),
    };
    return { storage, tokens: createSharedTokens({ storage, common, channel: channel as never }) };
  });
  /** Delivers the messages so far to the other tabs. */
  const deliver = () => {
    while (sent.length > 0) {
      const { from, data } = sent.shift() as (typeof sent)[number];
      for (const [to, listener] of listeners.entries()) if (to !== from) listener({ data } as MessageEvent);
    }
  };
  const [one, other] = tabs.map(({ tokens }) => tokens) as [(typeof tabs)[number]['tokens'], never];
  return { one, other: other as typeof one, tabs, common, deliver, sent };
}

describe('tokens', () => {
  it('outlive a reload of the tab', () => {
    const { one, tabs, common } = openTabs(1);
    one.set({ access: 'a1', refresh: 'r1' });
    const channel = { addEventListener: () => {}, postMessage: () => {} };
    const after = createSharedTokens({ storage: tabs[0]?.storage as Storage, common, channel });
    expect(after.get()).toMatchObject({ access: 'a1', refresh: 'r1' });
  });

  // Fails when a tab that comes back after the sign-out shows the chats of who has signed out.
  it('are gone from a tab that was away when the person signed out', () => {
    const { one, tabs, common, deliver, sent } = openTabs(2);
    one.set({ access: 'a1' });
    deliver();
    one.end();
    sent.length = 0;
    const channel = { addEventListener: () => {}, postMessage: () => {} };
    const storage = tabs[1]?.storage as Storage;
    expect(createSharedTokens({ storage, common, channel }).get()).toBeUndefined();
  });

  it('go to the other tabs', () => {
    const { one, other, deliver } = openTabs(2);
    one.set({ access: 'a1' });
    deliver();
    expect(other.get()).toEqual(one.get());
  });

  it('go to a tab that asks', async () => {
    const { one, other, deliver, sent } = openTabs(2);
    one.set({ access: 'a1' });
    sent.length = 0;
    const asked = other.ask(60_000);
    deliver();
    await asked;
    expect(other.get()?.access).toBe('a1');
  });

  it('are not waited for longer than the tab that asks wants to', async () => {
    const { one, other } = openTabs(2);
    one.set({ access: 'a1' });
    await other.ask(1);
    expect(other.get()).toBeUndefined();
  });

  // Fails when tokens that were on their way at the sign-out arrive after it, or a tab that hasn't heard of it renews its own.
  it('of a sign-in that ended are taken from no tab, those of the next one are', () => {
    const { one, other, deliver } = openTabs(2);
    one.set({ access: 'a1', expiresAtMs: 1_000 });
    deliver();
    other.set({ ...other.get(), access: 'a2', expiresAtMs: 2_000 });
    one.end();
    other.set({ ...other.get(), access: 'a3', expiresAtMs: 3_000 });
    expect(other.get()?.access).toBe('a2');
    deliver();
    expect([one.get(), other.get()]).toEqual([undefined, undefined]);
    other.set({ access: 'b1', expiresAtMs: 1_000 });
    deliver();
    expect(one.get()?.access).toBe('b1');
  });

  // Fails when tokens are written where all tabs read: they would outlive the last tab.
  it('are never in the storage that stays', () => {
    const { one, common } = openTabs(1);
    const set = vi.spyOn(common, 'setItem');
    one.set({ access: 'secret-a', refresh: 'secret-r', id: 'secret-i' });
    expect(JSON.stringify(set.mock.calls)).not.toContain('secret');
  });
});

describe('the newest tokens', () => {
  it('are known to be elsewhere before they arrive', () => {
    const { one, other, deliver } = openTabs(2);
    one.set({ access: 'a1' });
    deliver();
    expect([one.isNewest(), other.isNewest()]).toEqual([true, true]);
    other.set({ access: 'a2' });
    expect([one.isNewest(), other.isNewest()]).toEqual([false, true]);
    deliver();
    expect(one.isNewest()).toBe(true);
  });

  it('are those of this tab where nobody has set any', () => {
    expect(openTabs(1).one.isNewest()).toBe(true);
  });

  it('stay when a tab that was suspended sends older ones', () => {
    const { one, other, deliver } = openTabs(2);
    one.set({ access: 'new', expiresAtMs: 2_000 });
    deliver();
    other.set({ access: 'old', expiresAtMs: 1_000 });
    deliver();
    expect(one.get()?.access).toBe('new');
  });

  // Fails when equal tokens count as newer: two tabs would answer each other without end.
  it('are not the ones that the tab has already', () => {
    const { one, other, deliver } = openTabs(2);
    one.set({ access: 'a1' });
    deliver();
    const heard = vi.fn();
    other.subscribe(heard);
    one.set({ access: 'a1' });
    deliver();
    expect(heard).not.toHaveBeenCalled();
  });
});

describe('a change', () => {
  it('is told with where it came from, until the listener leaves', () => {
    const { one, other, deliver } = openTabs(2);
    const heard: string[] = [];
    const stop = other.subscribe((from) => void heard.push(from));
    one.set({ access: 'a1' });
    deliver();
    other.forget();
    stop();
    one.set({ access: 'a2' });
    deliver();
    expect(heard).toEqual(['elsewhere', 'here']);
  });
});

describe('an end', () => {
  it('signs out all tabs', () => {
    const { one, other, deliver } = openTabs(2);
    one.set({ access: 'a1' });
    deliver();
    one.end();
    deliver();
    expect([one.get(), other.get()]).toEqual([undefined, undefined]);
  });

  // Fails when a tab without tokens reports that it was signed out: it would reload.
  it('is nothing to a tab that has no tokens', () => {
    const { one, other, deliver } = openTabs(2);
    const heard = vi.fn();
    other.subscribe(heard);
    one.end();
    deliver();
    expect(heard).not.toHaveBeenCalled();
  });

  it('is not one when this tab alone forgets its tokens', () => {
    const { one, other, deliver } = openTabs(2);
    one.set({ access: 'a1' });
    deliver();
    one.forget();
    deliver();
    expect([one.get(), other.get()?.access]).toEqual([undefined, 'a1']);
  });
});
