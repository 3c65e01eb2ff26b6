// @vitest-environment happy-dom
import type { TrashItem } from '@berth/contract/agent';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { chatOf } from '../../testing/fake-agent.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { TrashList } from './trash-list.tsx';

const item = (id: string, fields: object = {}) =>
  ({
    id,
    path: `${id}.txt`,
    kind: 'file',
    by: 'user',
    deleted_at: '2026-01-01T00:00:00.000Z',
    reason: '',
    ...fields,
  }) as TrashItem;

/** A trash with these items. */
async function open(items: readonly TrashItem[] | Error) {
  const screen = await openChatScreen(createElement('div'));
  screen.agent.on('GET /trash', items);
  await screen.showInside(createElement(TrashList));
  const restore = (path: string) => screen.press(`${t('trash.restore')}: ${path}`);
  const calls = () => screen.agent.calls.slice(1).map(({ call }) => call);
  return { ...screen, calls, restore };
}

describe('restoring', () => {
  it('says under which name a file is back, and reads the files again', async () => {
    const { agent, all, calls, restore, text } = await open([item('a'), item('b')]);
    agent.on('POST /trash/a/restore', { ok: true, path: 'a (2).txt' });
    await restore('a.txt');
    expect(text()).toContain(t('trash.restored', { name: 'a (2).txt' }));
    expect(all('listitem')).toHaveLength(1);
    expect(calls()).toEqual(['POST /trash/a/restore', 'GET /files?path=&sort=name']);
  });

  it('reads the chats again where it was one', async () => {
    const { agent, calls, chats, restore } = await open([item('c', { kind: 'chat', path: 'Soup' })]);
    agent.on('POST /trash/c/restore', { ok: true, path: 'c' });
    agent.on('GET /chats?limit=100', [chatOf([], { title: 'Soup' })]);
    await restore('Soup');
    expect(calls()).toEqual(['POST /trash/c/restore', 'GET /chats?limit=100']);
    expect(chats.list.state.get().chats).toMatchObject([{ title: 'Soup' }]);
  });

  // Fails when the row goes before the agent has restored it.
  it('that fails says why and keeps the row', async () => {
    const { agent, all, restore, text } = await open([item('a')]);
    agent.on('POST /trash/a/restore', new ApiError(507, 'The disk is full.'));
    await restore('a.txt');
    expect(text()).toContain('The disk is full.');
    expect(all('listitem')).toHaveLength(1);
  });
});

it('says who deleted an item, and why', async () => {
  const { all, text } = await open([item('a', { by: 'agent', reason: 'tidied up' })]);
  expect(text()).toContain(t('trash.by.agent').split('{')[0]);
  expect(all('listitem')[0]?.querySelector('[title="tidied up"]')).not.toBeNull();
});

it('says that nothing is in it', async () => {
  expect((await open([])).text()).toContain(t('trash.empty'));
});

it('says why it could not be read, and is read again', async () => {
  const { agent, get, press, text } = await open(new ApiError(503, 'Try again later.'));
  expect(get('alert').textContent).toContain('Try again later.');
  agent.on('GET /trash', [item('a')]);
  await press('Try again');
  expect(text()).toContain('a.txt');
});
