// @vitest-environment happy-dom
import type { AgentConfig } from '@berth/contract/agent';
import { createElement } from 'react';
import { expect, it, vi } from 'vitest';
import { openScreen, t } from '../../testing/open-screen.ts';
import { SignInPage } from './sign-in-page.tsx';

const config = { title: 'Cook', description: 'It cooks.', favicon: '/icon.svg' } as AgentConfig;

it('signs in once, however often the button is pressed, and says why it failed', async () => {
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const onSignIn = vi.fn(() => (answers[onSignIn.mock.calls.length - 1] ?? Promise.withResolvers<void>()).promise);
  const { get, has, press, run } = await openScreen(createElement(SignInPage, { config, onSignIn }));
  await press(t('sign.in'));
  await press(t('sign.in'));
  expect(onSignIn).toHaveBeenCalledOnce();
  await run(() => answers[0]?.reject(new Error('The sign-in does not answer.')));
  expect(get('alert').textContent).toBe('The sign-in does not answer.');
  await press(t('sign.in'));
  expect([onSignIn.mock.calls.length, has('alert')]).toEqual([2, false]);
});

it('says what was wrong with the sign-in that the person returns from', async () => {
  const problem = new Error('The sign-in was not completed. Try again.');
  const { get } = await openScreen(createElement(SignInPage, { config, problem, onSignIn: async () => {} }));
  expect(get('alert').textContent).toBe(problem.message);
  expect(get('button', t('sign.in')).disabled).toBe(false);
});
