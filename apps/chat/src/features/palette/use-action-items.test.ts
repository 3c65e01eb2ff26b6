// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { PageActions } from '../../page/page-actions.ts';
import { chatOf } from '../../testing/fake-agent.ts';
import { type ChatScreenOptions, openChatScreen } from '../../testing/open-chat-screen.ts';
import { assistant, NONE, user } from '../../testing/open-conversation.ts';
import { t } from '../../testing/open-screen.ts';
import { useFoundItems } from './chat-palette.tsx';
import { useActionItems } from './use-action-items.ts';

/** The actions of the page, which do nothing. */
const actionsOf = (fields: Partial<PageActions> = {}): PageActions => ({
  ...{ open: vi.fn(), toggleFiles: vi.fn(), showFiles: vi.fn(), newChat: vi.fn(), write: vi.fn() },
  ...{ canShare: false, signOut: undefined, ...fields },
});

type Found = Parameters<typeof useFoundItems>[0];

/** The items of the palette as buttons that are named by their values. */
function Items({ actions, found }: { readonly actions: PageActions; readonly found: Found }) {
  const { work, look } = useActionItems(actions);
  const items = [...work, ...useFoundItems(found, actions), ...look];
  return items.map(({ value, label, onChoose }) =>
    createElement('button', { key: value, type: 'button', title: label, onClick: onChoose }, value),
  );
}

/** Renders the items. */
async function open(options: ChatScreenOptions = {}, actions = actionsOf(), found: Found = { chats: [], files: [] }) {
  const screen = await openChatScreen(createElement(Items, { actions, found }), options);
  const values = () => screen.all('button').map((one) => one.textContent);
  return { ...screen, actions, values };
}

describe('the palette', () => {
  it('offers what the agent and the person can do', async () => {
    const all = ['files', 'trash', 'share', 'connectors', 'approvals', 'tools', 'memory', 'agents', 'out'];
    const offered = (values: readonly string[]) => all.filter((one) => values.includes(one));
    const signedIn = actionsOf({ canShare: true, signOut: vi.fn() });
    const some = await open({ config: { connectors: true, memory: true, explore_enabled: true } }, signedIn);
    expect(offered(some.values())).toEqual(all);
    await some.press('out');
    expect(signedIn.signOut).toHaveBeenCalledOnce();
  });

  it('offers nothing of an account where nobody signs in', async () => {
    const { values } = await open({ config: { auth: false }, isStored: false });
    for (const one of ['files', 'trash', 'share', 'approvals', 'tools', 'memory', 'out'])
      expect(values()).not.toContain(one);
  });

  it('offers the other languages, not the one in use', async () => {
    const { values } = await open();
    expect(values().filter((one) => one.startsWith('language '))).toEqual(['language ar']);
  });
});

describe('a command to copy', () => {
  async function openChat(chatId: string, teamId?: string) {
    const screen = await open(teamId === undefined ? {} : { teamId });
    screen.agent.on(`GET /chats/${encodeURIComponent(chatId)}`, chatOf([user('a'), assistant('A')], { id: chatId }));
    screen.agent.on(`GET /chats/${encodeURIComponent(chatId)}/approvals`, NONE);
    await screen.run(() => screen.conversation.open(chatId));
    const { writeText } = screen.browser.navigator.clipboard;
    return { ...screen, copied: () => writeText.mock.calls.map(([text]) => text), writeText };
  }

  // Fails when an ID is written into the command as it is: a shell would run what it says.
  it('quotes what comes from the address', async () => {
    const { copied, press } = await openChat("c'; rm -rf ~; '", "t'1");
    await press('berth');
    await press('curl');
    const [berth = '', curl = ''] = copied();
    expect(berth).toContain(`--chat 'c'\\''; rm -rf ~; '\\'''`);
    expect(berth).toContain(`--workspace 't'\\''1'`);
    expect(curl).toContain("https://agent.example.com/chat?id=c'\\''%3B%20rm%20-rf%20~%3B%20'\\''");
  });

  it('has a place for the token, never the token', async () => {
    const { copied, press } = await openChat('c1');
    await press('curl');
    const [, token] = /Authorization: Bearer (\S+)"/.exec(copied()[0] ?? '') ?? [];
    expect(token).toMatch(/^\$[A-Z_]+$/);
  });

  it('shows an error when it can’t be copied', async () => {
    const { press, text, writeText } = await openChat('c1');
    writeText.mockRejectedValueOnce(new Error('Write permission denied.'));
    await press('berth');
    expect(text()).toContain('Write permission denied.');
    await press('berth');
    expect(text()).toContain('Copied');
  });
});

describe('a search result', () => {
  it('opens a chat, and a file in its pane', async () => {
    const file = {
      path: 'a.txt',
      name: 'a.txt',
      type: 'file',
      kind: 'text',
      size: 1,
      modified: '2026-01-01T00:00:00Z',
    } as const;
    const actions = actionsOf();
    const { agent, gone, press } = await open({}, actions, { chats: [chatOf([], { title: 'Soup' })], files: [file] });
    agent.on('GET /chats/c1', chatOf([]));
    await press('chat c1');
    expect(gone).toEqual(['c1']);
    await press('file a.txt');
    expect(actions.showFiles).toHaveBeenCalledOnce();
  });

  it('is listed once, before the chats that are already loaded', async () => {
    const { agent, all, chats, run } = await open({}, actionsOf(), {
      chats: [chatOf([], { id: 'b', title: '' })],
      files: [],
    });
    agent.on('GET /chats?limit=100', [chatOf([], { id: 'a' }), chatOf([], { id: 'b' })]);
    await run(() => chats.list.refresh());
    const rows = all('button').filter((one) => one.textContent.startsWith('chat '));
    expect(rows.map((one) => one.textContent)).toEqual(['chat b', 'chat a']);
    expect(rows[0]?.getAttribute('title')).toBe(t('chats.untitled'));
  });
});
