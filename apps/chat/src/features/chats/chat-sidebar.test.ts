// @vitest-environment happy-dom
import type { ChatSummary } from '@berth/contract/agent';
import { createElement } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { chatOf } from '../../testing/fake-agent.ts';
import { type ChatScreenOptions, openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { ChatSidebar } from './chat-sidebar.tsx';

const FIRST = 'GET /chats?limit=100';
const chat = (id: string, fields: Partial<ChatSummary> = {}): ChatSummary => chatOf([], { id, title: id, ...fields });

/** The list of a person's chats, of which the agent says `answer`. */
async function open(answer: unknown, options: ChatScreenOptions = {}) {
  const screen = await openChatScreen(createElement('div'), options);
  screen.agent.on(FIRST, answer);
  const onChosen = vi.fn();
  await screen.showInside(createElement(ChatSidebar, { onChosen }));
  const click = (name: string, fields = {}) => screen.fire(screen.get('link', name), 'click', { button: 0, ...fields });
  const lists = () => screen.agent.calls.map(({ call }) => call).filter((call) => call.startsWith('GET /chats?'));
  return { ...screen, click, lists, onChosen };
}

afterEach(() => void vi.useRealTimers());

describe('a chat of the list', () => {
  it('is opened by a press, and is then the current one', async () => {
    const { agent, click, get, gone, onChosen } = await open([chat('a'), chat('b')]);
    agent.on('GET /chats/b', chatOf([], { id: 'b' }));
    expect((await click('b')).defaultPrevented).toBe(true);
    expect([gone, onChosen.mock.calls.length]).toEqual([['b'], 1]);
    expect(['a', 'b'].map((name) => get('link', name).getAttribute('aria-current'))).toEqual([null, 'page']);
  });

  // Fails when every press is taken: Ctrl and a press open a tab in any browser.
  it.each(['ctrlKey', 'metaKey', 'shiftKey'])('is left to the browser with %s', async (key) => {
    const { click, gone } = await open([chat('a')], { teamId: 't 1' });
    expect((await click('a', { [key]: true })).defaultPrevented).toBe(false);
    expect(gone).toEqual([]);
  });

  it('has an address in the workspace that is open', async () => {
    const { get } = await open([chat('a')], { teamId: 't 1' });
    expect(get('link', 'a').getAttribute('href')).toBe('/?id=a&ws=t+1');
  });

  it('says that it is a favorite, that it is being answered, and that it has no title', async () => {
    const { has } = await open([chat('a', { title: '', favoritedAt: '2026-01-01T00:00:00Z', run: 'running' })]);
    expect([
      has('link', t('chats.untitled')),
      has('img', t('chats.isFavorite')),
      has('img', t('chats.running')),
    ]).toEqual([...[true, true, true]]);
  });
});

describe('a chat that a search found by its text', () => {
  const match = {
    seq: 7,
    role: 'user' as const,
    excerpt: [
      { text: 'high ', is_match: false },
      { text: 'tide', is_match: true },
    ],
  };

  it('shows the text with the match marked, and opens at the message', async () => {
    const { agent, all, fire, target } = await open([chat('a', { match })]);
    expect(document.querySelector('mark')?.textContent).toBe('tide');
    agent.on('GET /chats/a', chatOf([], { id: 'a' }));
    const [link] = all('link');
    if (link) await fire(link, 'click', { button: 0 });
    await vi.waitFor(() => expect(target.get()).toBe(7));
  });
});

describe('the list', () => {
  it('begins a new chat', async () => {
    const { gone, onChosen, press } = await open([]);
    await press(t('chats.new'));
    expect([gone, onChosen.mock.calls.length]).toEqual([[undefined], 1]);
  });

  it('says that there are none', async () => {
    expect((await open([])).text()).toContain(t('chats.none'));
  });

  it.each([
    ['in the words of the agent', new ApiError(503, 'Try again later.'), 'Try again later.'],
    ['in its own where nothing answered', new TypeError('Failed to fetch'), t('chats.failed')],
  ])('says %s why it could not be read, and is read again', async (_name, error, said) => {
    const { agent, get, has, press } = await open(error);
    expect(get('alert').textContent).toContain(said);
    agent.on(FIRST, [chat('a')]);
    await press('Try again');
    expect([has('alert'), has('link', 'a')]).toEqual([false, true]);
  });

  // Fails when only the shown rows count: a short page would never be followed by the next one.
  it('reads the next page before its end is in sight', async () => {
    const link = '</chats?limit=100&cursor=x>; rel="next"';
    const { agent, lists, run } = await open(Response.json([chat('a')], { headers: { Link: link } }));
    agent.on('GET /chats?limit=100&cursor=x', [chat('b')]);
    await run(() => undefined);
    expect(lists()).toEqual([FIRST, 'GET /chats?limit=100&cursor=x']);
  });
});

describe('the search', () => {
  it('asks once typing pauses, and says that nothing was found', async () => {
    const { agent, get, lists, run, text, type } = await open([chat('a')]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    agent.on('GET /chats?limit=100&q=soup', []);
    const field = get('searchbox', t('chats.search'));
    await type(field, 'so');
    await run(() => void vi.advanceTimersByTime(249));
    await type(field, 'soup ');
    await run(() => void vi.advanceTimersByTime(249));
    expect(lists()).toEqual([FIRST]);
    await run(() => void vi.advanceTimersByTime(1));
    expect(lists()).toEqual([FIRST, 'GET /chats?limit=100&q=soup']);
    expect(text()).toContain(t('chats.noneFound'));
  });

  // Fails when the timer outlives the field: a list that nobody looks at any more would be filtered.
  it('asks for nothing once the list is left', async () => {
    const { get, leave, lists, type } = await open([chat('a')]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await type(get('searchbox', t('chats.search')), 'soup');
    await leave();
    vi.advanceTimersByTime(1_000);
    expect(lists()).toEqual([FIRST]);
  });
});
