// @vitest-environment happy-dom
import type { UiFrame } from '@berth/contract/agent';
import { useStore } from '@berth/ui/store';
import { createElement, Fragment } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { openChatScreen } from '../../../testing/open-chat-screen.ts';
import { assistant, user } from '../../../testing/open-conversation.ts';
import { t } from '../../../testing/open-screen.ts';
import { useOpenChat } from '../state/open-chat-context.ts';
import { UiCard } from './ui-card.tsx';

/** The cards of the last answer, as the page shows them. */
function Cards() {
  const last = useStore(useOpenChat().conversation.state).items.at(-1);
  const cards = last?.kind === 'answer' ? last.cards : [];
  return createElement(
    Fragment,
    {},
    cards.map((frame) => createElement(UiCard, { key: String(frame['key']), frame })),
  );
}

const ARGS = { path: 'menu.txt' };
const call = (key: string, fields = {}) => ({
  ...{ tool: 'wipe', key, label: `Wipe ${key}`, args: ARGS, expires_at: '2026-01-02T00:00:00Z' },
  ...fields,
});

/** A chat in which these tool calls wait for approval. */
async function openCalls(...calls: readonly ReturnType<typeof call>[]) {
  const screen = await openChatScreen(createElement(Cards));
  screen.agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  screen.agent.on('GET /chats/c1/approvals', calls);
  await screen.run(() => screen.conversation.open('c1'));
  screen.agent.on('POST /chat?id=c1', createStream().response);
  /** The requests that changed something. */
  const posts = () => screen.agent.calls.filter((one) => one.call.startsWith('POST'));
  return { ...screen, posts };
}

/** One card of any other kind, in a chat that takes messages. */
async function openCard(frame: Omit<UiFrame, 'type'>) {
  const screen = await openChatScreen(createElement(UiCard, { frame: { type: 'ui', ...frame } as UiFrame }));
  screen.agent.on('POST /chat?id=c1', createStream().response);
  const sent = () => screen.agent.calls.map(({ body }) => body);
  return { ...screen, sent };
}

const message = (content: string) => ({ messages: [user(content)], detach: true });

describe('a tool call that waits for approval', () => {
  it('shows the name of the tool beside its label, and all arguments', async () => {
    const { text } = await openCalls(call('k1', { connector: 'Crm' }));
    for (const said of [t('card.may', { label: 'Wipe k1' }), t('card.toolOf', { name: 'wipe', connector: 'Crm' })]) {
      expect(text()).toContain(said);
    }
    expect(text()).toContain('"path": "menu.txt"');
  });

  // Fails when the label is shown as it is: it could turn the text around it.
  it('escapes invisible characters', async () => {
    const { text } = await openCalls(call('k1', { label: 'a\u202eb', args: { to: 'x\u200by' } }));
    expect(text()).toContain('a\\u{202e}b');
    expect(text()).toContain('x\\u{200b}y');
  });

  // Fails when a message that the person never wrote is sent for them.
  it.each([
    ['card.approve', 'approve'],
    ['card.always', 'always'],
    ['card.deny', 'deny'],
  ] as const)('is decided by %s, without a message in their name', async (button, decision) => {
    const { agent, has, posts, press } = await openCalls(call('k1'));
    agent.on('POST /chats/c1/approvals/k1', { ok: true });
    await press(t(button));
    expect(posts()).toEqual([{ call: 'POST /chats/c1/approvals/k1', body: { decision } }]);
    expect(has('region', t('card.approval', { label: 'Wipe k1' }))).toBe(false);
  });

  // Fails when a second press is possible while the first one is on its way.
  it('is decided once', async () => {
    const { agent, all, posts, press, run } = await openCalls(call('k1'));
    const told = Promise.withResolvers<unknown>();
    agent.on('POST /chats/c1/approvals/k1', told.promise);
    await press(t('card.deny'));
    expect(all('button').every(({ disabled }) => disabled)).toBe(true);
    await press(t('card.approve'));
    await run(() => told.resolve({ ok: true }));
    expect(posts().map(({ body }) => body)).toEqual([{ decision: 'deny' }]);
  });

  it('shows why the decision failed, and allows another one', async () => {
    const { agent, get, posts, press } = await openCalls(call('k1'));
    agent.on('POST /chats/c1/approvals/k1', new ApiError(503, 'Try again later.'), { ok: true });
    await press(t('card.approve'));
    expect(get('alert').textContent).toBe('Try again later.');
    await press(t('card.approve'));
    expect(posts().map(({ call: one }) => one)).toEqual([
      ...['POST /chats/c1/approvals/k1', 'POST /chats/c1/approvals/k1'],
    ]);
  });
});

describe('the arguments of a tool call', () => {
  async function openEdited(edited: string) {
    const screen = await openCalls(call('k1'));
    screen.agent.on('POST /chats/c1/approvals/k1', { ok: true });
    await screen.press(t('card.edit'));
    await screen.type(screen.get('textbox'), edited);
    return screen;
  }

  it('are sent as they were edited', async () => {
    const { posts, press } = await openEdited('{"path": "other.txt"}');
    await press(t('card.approve'));
    expect(posts()[0]?.body).toEqual({ decision: 'approve', args: { path: 'other.txt' } });
  });

  // Fails when broken JSON counts as unchanged: the tool would run with what the person has just changed.
  it.each(['{"path": ', '["other.txt"]', ''])('are not sent when they are %j', async (edited) => {
    const { get, posts, press } = await openEdited(edited);
    await press(t('card.always'));
    expect(posts()).toEqual([]);
    expect(get('alert').textContent).toBe(t('card.argsWrong'));
    expect(get('textbox').getAttribute('aria-invalid')).toBe('true');
  });

  it('are ignored by a denial', async () => {
    const { posts, press } = await openEdited('{"path": ');
    await press(t('card.deny'));
    expect(posts()[0]?.body).toEqual({ decision: 'deny' });
  });

  it('are restored by “As it was”', async () => {
    const { get, has, posts, press } = await openEdited('{"path": ');
    await press(t('card.always'));
    await press(t('card.asBefore'));
    expect([has('textbox'), get('alert').textContent]).toEqual([false, '']);
    await press(t('card.approve'));
    expect(posts()[0]?.body).toEqual({ decision: 'approve' });
  });

  it('take the focus while they are edited', async () => {
    const { browser, get } = await openEdited('{}');
    expect(browser.document.activeElement).toBe(get('textbox'));
  });
});

describe('choices', () => {
  it('are shown once each, without values that are not text, and are sent as a message', async () => {
    const { all, press, sent } = await openCard({ action: 'suggest', suggestions: ['Soup', 'Soup', 7, 'Bread'] });
    expect(all('button').map((one) => one.textContent)).toEqual(['Soup', 'Bread']);
    await press('Bread');
    expect(sent()).toEqual([message('Bread')]);
  });

  it('are the text of one suggestion, too', async () => {
    // Fails when only lists are shown.
    const { press, sent } = await openCard({ action: 'suggest', text: 'More' });
    await press('More');
    expect(sent()).toEqual([message('More')]);
  });

  it('answer several questions together', async () => {
    // Fails when an option that is an object is not shown, or the first press already sends.
    const questions = [
      { question: 'Which?', options: [{ label: 'Soup', description: 'Hot' }, { label: 'Bread' }], multi_select: true },
      { question: 'When?', options: [{ label: 'Now' }, { label: 'Later' }], multi_select: false },
    ];
    const { press, sent } = await openCard({ action: 'ask', ...questions[0], questions });
    for (const name of ['Soup', 'Bread', 'Now', 'Later']) await press(name);
    expect(sent()).toEqual([]);
    await press('Send');
    expect(sent()).toEqual([message('Which? Soup, Bread\nWhen? Later')]);
  });

  it('show the question that they answer', async () => {
    const { press, sent, text } = await openCard({ action: 'ask', question: 'Which one?', options: ['Soup'] });
    expect(text()).toContain('Which one?');
    await press('Soup');
    expect(sent()).toEqual([message('Soup')]);
  });

  it('are optional when there is a question', async () => {
    const { text } = await openCard({ action: 'ask', question: 'Which one?', options: 'none' });
    expect(text()).toBe('Which one?');
  });
});

describe('nothing is shown', () => {
  it.each([
    ['suggestions that are none', { action: 'suggest', suggestions: [] }],
    ['a question without words', { action: 'ask' }],
    ['a file without a name', { action: 'open_canvas' }],
    ['an action of a newer agent', { action: 'hologram', text: 'x' }],
  ])('for %s', async (_name, frame) => {
    expect((await openCard(frame)).text()).toBe('');
  });
});

it('links the file to open', async () => {
  const { get } = await openCard({ action: 'open_canvas', path: 'reports/a b.pdf' });
  expect(get('link').getAttribute('href')).toBe('/files/reports/a%20b.pdf');
});

it('says that the plan is not enough', async () => {
  const { get } = await openCard({ action: 'open_plan_modal' });
  expect(get('note').textContent).toBe(t('card.plan'));
});
