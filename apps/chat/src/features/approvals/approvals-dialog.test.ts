// @vitest-environment happy-dom
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { ApprovalInbox } from './approvals-dialog.tsx';

const call = (key: string, fields: object = {}) => ({
  ...{ tool: 'wipe', key, label: `Wipe ${key}`, args: {}, expires_at: '2026-01-02T00:00:00Z' },
  ...{ chat_id: 'c1', chat_title: 'Disks', ...fields },
});

// Fails when a decision is sent for another call, or the list isn't read again.
it('lists what waits over all chats, and decides from there', async () => {
  const screen = await openChatScreen(createElement('div'));
  screen.agent.on('GET /approvals', [call('k1')], []);
  screen.agent.on('POST /approvals/k1', { ok: true, run: 'r1' });
  await screen.showInside(createElement(ApprovalInbox));
  expect(screen.text()).toContain('Disks');
  await screen.press(t('card.approve'));
  expect(screen.agent.calls.map(({ call: one, body }) => [one, body])).toEqual([
    ['GET /approvals', undefined],
    ['POST /approvals/k1', { decision: 'approve' }],
    ['GET /approvals', undefined],
  ]);
  expect(screen.text()).toContain(t('approvals.none'));
});

// Fails when an admin sees a call twice, or a member an error.
it.each([
  ['an admin sees those of members', [call('k1'), call('k2', { user_id: 'bob' })], 2],
  ['a member sees their own', new ApiError(403, 'Only owners and admins.'), 1],
])('in a team %s', async (_what, answer, count) => {
  const screen = await openChatScreen(createElement('div'), { teamId: 't-1' });
  screen.agent.on('GET /approvals', [call('k1')]);
  screen.agent.on('GET /approvals?scope=workspace', answer);
  await screen.showInside(createElement(ApprovalInbox));
  expect(screen.all('listitem')).toHaveLength(count);
});
