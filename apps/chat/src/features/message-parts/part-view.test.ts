// @vitest-environment happy-dom
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { PartView } from './part-view.tsx';

/** Fails when a finished answer still says what the agent was doing. */
it.each([
  [true, true],
  [false, false],
])('shows a status while the answer streams: %s', async (isAnswerLive, isShown) => {
  const part = { type: 'status', status: 'Almost done' } as const;
  const screen = await openChatScreen(createElement(PartView, { part, isLive: false, isAnswerLive }));
  expect(screen.text().includes('Almost done')).toBe(isShown);
});
