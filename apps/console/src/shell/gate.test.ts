// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { act, createElement, useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../testing/open-view.ts';
import { Gate } from './gate.tsx';

afterEach(() => {
  vi.useRealTimers();
});

/** A page with something that was typed. */
function Page() {
  const [text, setText] = useState('');
  const onChange = (event: { target: { value: string } }) => setText(event.target.value);
  return createElement('input', { 'aria-label': 'Draft', value: text, onChange });
}

async function open(setup: OpenSetup = {}) {
  const view = await openView(createElement(Page), {
    root: Gate,
    address: '/deployments',
    cached: [[QUERY_KEYS.user, OWNER]],
    ...setup,
    answers: {
      'GET /v1/user/accounts': () => [],
      'GET /v1/auth/providers': () => [],
      ...setup.answers,
    },
  });
  return { view, draft: () => view.document.querySelector<HTMLInputElement>('input[aria-label=Draft]') };
}

describe('somebody who isn’t signed in', () => {
  // Fails when the page is rendered behind the sign-in: its calls would be made without a person.
  test('sees the sign-in at the address of the page, and not the page', async () => {
    const { view, draft } = await open({ session: 'signed-out', address: '/volumes/media?tab=files' });
    expect(view.field(say('signIn.password'))).toBeDefined();
    expect([draft(), view.address()]).toEqual([null, '/volumes/media?tab=files']);
    await view.setSession('signed-in');
    expect(draft()).not.toBeNull();
  });

  // Fails when an invitation leads to the sign-in, which its person can't pass.
  test.each(['/first-run', '/join', '/sign-in-problem', '/signed-in'])('sees %s', async (at) => {
    const { draft } = await open({ session: 'signed-out', address: at });
    expect(draft()).not.toBeNull();
  });

  test('signs in with what they typed, and reads why it was refused', async () => {
    const signIn = vi.fn(async () => {
      throw createError('unauthenticated', 'The password is wrong.');
    });
    const session = { state: 'signed-out', subscribe: () => () => {}, signIn } as never;
    const { view } = await open({ session: 'signed-out', api: { session } });
    await view.fill(view.field(say('signIn.email')), 'ada@example.com');
    await view.fill(view.field(say('signIn.password')), 'wrong horse');
    await view.press('Enter');
    expect(signIn.mock.calls).toEqual([['ada@example.com', 'wrong horse']]);
    expect(view.get('alert').textContent).toContain('The password is wrong.');
  });
});

describe('a platform that is away', () => {
  // Fails when the page asks once, or goes on asking after the platform has answered.
  test.each(['unknown', 'unreachable'] as const)('is asked again until it answers (%s)', async (state) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { view, draft } = await open({ session: state });
    expect(view.text()).toContain(say('shell.offline'));
    await act(() => vi.advanceTimersByTimeAsync(9_500));
    expect(view.sent('session.check')).toHaveLength(3);
    await view.setSession('signed-in');
    expect(draft()).not.toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(30_000));
    expect(view.sent('session.check')).toHaveLength(3);
  });
});

describe('a session that expires', () => {
  // Fails when the page is rendered anew: what was typed would be lost.
  test('asks for a sign-in above the page, which keeps what was typed', async () => {
    const { view, draft } = await open();
    await view.fill(view.field('Draft'), 'three paragraphs');
    await view.setSession('expired');
    expect(view.get('dialog', say('signIn.again.title'))).toBeDefined();
    await view.press('Escape');
    expect(view.find('dialog', say('signIn.again.title'))).toBeDefined();
    expect(view.find('button', 'Close')).toBeUndefined();
    await view.setSession('signed-in');
    expect(view.find('dialog', say('signIn.again.title'))).toBeUndefined();
    expect(draft()?.value).toBe('three paragraphs');
  });

  // Fails when somebody else reads what the person before them typed.
  test('leaves nothing to another person who signs in', async () => {
    const { view } = await open();
    await view.fill(view.field('Draft'), 'three paragraphs');
    await view.setSession('expired');
    await view.setSession('signed-in', 'person_2');
    expect(view.field('Draft').value).toBe('');
  });
});

describe('a page that the role doesn’t cover', () => {
  const MEMBER = { ...OWNER, role: 'member', scopes: ['read'] };

  test.each(['/keys', '/keys/more', '/audit'])('isn’t rendered for a member at %s', async (at) => {
    const { view, draft } = await open({ address: at, cached: [[QUERY_KEYS.user, MEMBER]] });
    expect(draft()).toBeNull();
    expect(view.get('heading', say('rights.title'))).toBeDefined();
  });

  test('is rendered for an owner, and other pages for a member', async () => {
    const first = await open({ address: '/keys' });
    expect(first.draft()).not.toBeNull();
    await first.view.unmount();
    const second = await open({ address: '/volumes', cached: [[QUERY_KEYS.user, MEMBER]] });
    expect(second.draft()).not.toBeNull();
  });

  // Fails when a person without an account is stuck on an empty page.
  test('is any page for somebody without an account, who can sign out', async () => {
    const refuse = () => {
      throw createError('forbidden', 'You are in no account.');
    };
    const { view, draft } = await open({ cached: [], answers: { 'GET /v1/user': refuse } });
    expect(draft()).toBeNull();
    expect(view.get('heading', say('rights.none.title'))).toBeDefined();
    const [button] = view.all('button', say('shell.signOut'));
    if (!button) throw new Error('no way out');
    await view.click(button);
    expect(view.sent('session.signOut')).toHaveLength(1);
  });
});
