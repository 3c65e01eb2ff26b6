// @vitest-environment happy-dom
import { createElement } from 'react';
import { expect, it, vi } from 'vitest';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { SignedInAs } from './signed-in-as.tsx';

/** The footer of the person that the agent tells of; undefined where it tells of none. */
async function open(me: unknown, onSignOut?: () => void) {
  const screen = await openChatScreen(createElement('div'));
  if (me !== undefined) screen.agent.on('GET /me', me);
  await screen.showInside(createElement(SignedInAs, { onSignOut }));
  return screen;
}

it('shows the name with the address, and signs out', async () => {
  const onSignOut = vi.fn();
  const { get, press } = await open({ user_id: 'usr_1', name: 'Ann Lee', email: 'ann@example.com' }, onSignOut);
  const shown = get('region', t('sign.as', { name: 'Ann Lee' })).textContent;
  expect(shown).toContain('Ann Lee');
  expect(shown).toContain('ann@example.com');
  expect(shown).not.toContain('usr_1');
  await press(t('sign.out'));
  expect(onSignOut).toHaveBeenCalledOnce();
});

it('shows the address, and then the ID, where there is no name', async () => {
  const { has } = await open({ user_id: 'usr_1', email: 'ann@example.com' });
  expect([has('region', t('sign.as', { name: 'ann@example.com' })), has('button', t('sign.out'))]).toEqual([
    true,
    false,
  ]);
  expect((await open({ user_id: 'usr_1' })).has('region', t('sign.as', { name: 'usr_1' }))).toBe(true);
});

// Fails when an agent of an earlier version, which has no such route, shows an empty person or an error.
it('shows nothing where the agent does not tell', async () => {
  expect((await open(undefined)).has('region')).toBe(false);
});
