// @vitest-environment happy-dom
import type { ShareView } from '@berth/contract/agent';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { ShareDialog } from './share-dialog.tsx';

const share = (id: string, fields: Partial<ShareView> = {}): ShareView => ({
  ...{ id, path: 'chat/c1', title: 'Soup', audience: 'public', live: false, expires_at: null },
  ...{ shared_at: '2026-01-01T00:00:00.000Z', absolute_url: `https://agent.example.com/shared/u/${id}`, ...fields },
});

/** The dialog of the chat c1, with the links that the agent lists. */
async function open(...links: readonly ShareView[]) {
  const screen = await openChatScreen(createElement('div'));
  screen.agent.on('GET /share', links);
  await screen.showInside(createElement(ShareDialog, { chatId: 'c1', onClose() {} }));
  const changes = () => screen.agent.calls.filter(({ call }) => !call.startsWith('GET')).map(({ call }) => call);
  const urls = () => screen.all('listitem').filter((row) => row.querySelector('code')).length;
  return { ...screen, changes, urls };
}

describe('the links of a chat', () => {
  it('are listed again, without those of other chats', async () => {
    const { text, urls } = await open(share('s1'), share('s2', { live: true }), share('s3', { path: 'chat/c2' }));
    expect(urls()).toBe(2);
    expect(text()).toContain('https://agent.example.com/shared/u/s1');
    expect(text()).toContain(t('share.isLive'));
    expect(text()).not.toContain('s3');
  });

  it('are created, and revoked by their ID', async () => {
    const { agent, changes, get, press, urls } = await open();
    agent.on('POST /share', share('s1'));
    agent.on('GET /share', [share('s1')]);
    await press(t('share.make'));
    expect([urls(), get('status').textContent]).toEqual([1, t('share.once')]);
    agent.on('DELETE /share/s1', { ok: true });
    agent.on('GET /share', []);
    await press(t('share.revoke'));
    expect([urls(), get('status').textContent]).toEqual([0, t('share.revoked')]);
    expect(changes()).toEqual(['POST /share', 'DELETE /share/s1']);
  });

  // Fails when a link disappears although it still works.
  it('that could not be revoked stay, with the reason', async () => {
    const { agent, get, press, urls } = await open(share('s1'));
    agent.on('DELETE /share/s1', new ApiError(503, 'Try again.'));
    agent.on('GET /share', [share('s1')]);
    await press(t('share.revoke'));
    expect([urls(), get('alert').textContent, get('status').textContent]).toEqual([1, 'Try again.', '']);
  });

  it('whose token is lost say so, and can be revoked', async () => {
    const { absolute_url: _, ...lost } = share('s1');
    const { has, text, urls } = await open(lost as ShareView);
    expect([urls(), text().includes(t('share.unreadable')), has('button', t('share.revoke'))]).toEqual([0, true, true]);
  });
});
