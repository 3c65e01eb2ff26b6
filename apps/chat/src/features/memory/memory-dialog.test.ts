// @vitest-environment happy-dom
import type { Memory } from '@berth/contract/agent';
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { MemoryList } from './memory-dialog.tsx';

const memory = (id: string, text: string, fields: Partial<Memory> = {}): Memory => ({
  ...{ id, text, scope: 'person', by: 'agent' },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  ...fields,
});

/** The list, with these memories. */
async function open(memories: readonly Memory[] | Error) {
  const screen = await openChatScreen(createElement('div'));
  screen.agent.on('GET /memory', memories);
  await screen.showInside(createElement(MemoryList));
  const calls = () => screen.agent.calls.slice(1);
  return { ...screen, calls };
}

// Fails when a team's memory looks like the person's own, or the author is wrong.
it('shows what is remembered, of whom, and who wrote it', async () => {
  const { all } = await open([
    memory('a', 'Likes tea.'),
    memory('b', 'Ships on Fridays.', { scope: 'team', by: 'user' }),
  ]);
  const [first, second] = all('listitem').map((one) => one.textContent);
  expect(first).toContain('Likes tea.');
  expect(first).toContain(t('memory.by.agent').split('{')[0]);
  expect(first).not.toContain(t('memory.team'));
  expect(second).toContain(t('memory.by.user').split('{')[0]);
  expect(second).toContain(t('memory.team'));
});

// Fails when a button calls for another memory, or the list is not read again.
it('forgets one, and everything after asking', async () => {
  const { agent, all, calls, press, text } = await open([memory('a', 'Likes tea.'), memory('b', 'Lives in Rome.')]);
  agent.on('DELETE /memory/a', { ok: true });
  agent.on('GET /memory', [memory('b', 'Lives in Rome.')]);
  await press(t('memory.remove', { text: 'Likes tea.' }));
  expect(all('listitem')).toHaveLength(1);
  agent.on('DELETE /memory?scope=person', { ok: true, removed: 1 });
  agent.on('GET /memory', []);
  await press(t('memory.erase'));
  expect(calls().map(({ call }) => call)).toEqual(['DELETE /memory/a', 'GET /memory']);
  await press(t('memory.eraseAction'));
  expect(calls().at(-2)?.call).toBe('DELETE /memory?scope=person');
  expect(text()).toContain(t('memory.none'));
});

// Fails when an entry can't be corrected, or a failure is not shown.
it('changes and adds, and says why it could not', async () => {
  const { agent, calls, get, press, text } = await open([memory('a', 'Likes tea.')]);
  agent.on('PUT /memory/a', memory('a', 'Likes coffee.'));
  agent.on('GET /memory', [memory('a', 'Likes coffee.')]);
  await press(t('memory.edit', { text: 'Likes tea.' }));
  await press(t('chats.save'));
  expect(calls()[0]).toMatchObject({ call: 'PUT /memory/a', body: { text: 'Likes tea.' } });
  expect(text()).toContain('Likes coffee.');
  agent.on('GET /memory', [memory('a', 'Likes coffee.')]);
  agent.on('DELETE /memory/a', new ApiError(503, 'Try again later.'));
  await press(t('memory.remove', { text: 'Likes coffee.' }));
  expect(get('alert').textContent).toContain('Try again later.');
});
