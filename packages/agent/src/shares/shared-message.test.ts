import type { StoredMessage } from '@berth/agent-store';
import type { Part } from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { sharedMessages } from './shared-message.ts';

const CANARY = 'canary-4f1';

it('lets through what it names and nothing else', () => {
  const parts = [
    { type: 'thinking', thinking: CANARY },
    { type: 'text', text: 'hello', secret: CANARY },
    {
      type: 'step',
      step: 'Look',
      tool_name: 'search',
      id: CANARY,
      args: CANARY,
      result: CANARY,
      connector: CANARY,
      ok: true,
    },
    { type: 'tool_call', id: CANARY, tool: 'x', args: CANARY },
    { type: 'sources', id: 's', sources: [{ title: 'T', url: 'https://example.com', cost: CANARY }] },
    { type: 'widget', body: CANARY },
  ] as unknown as Part[];
  const message = {
    role: 'assistant',
    content: 'hello',
    parts,
    attachments: [{ name: 'n', path: 'p', token: CANARY }],
    runId: CANARY,
    modelData: CANARY,
    cost: CANARY,
  } as unknown as StoredMessage;
  const [shared] = sharedMessages([message]);
  expect(JSON.stringify(shared)).not.toContain(CANARY);
  expect(shared).toEqual({
    role: 'assistant',
    content: 'hello',
    parts: [
      { type: 'text', text: 'hello' },
      { type: 'step', step: 'Look', tool_name: 'search', ok: true },
      { type: 'sources', id: 's', sources: [{ title: 'T', url: 'https://example.com' }] },
    ],
    attachments: [{ name: 'n', path: 'p' }],
  });
});

it('shows nothing of what only the model is told', () => {
  const row = { content: CANARY, seq: 1, createdAtMs: 0 };
  expect(
    sharedMessages([
      { ...row, role: 'user', isInternal: true },
      { ...row, role: 'system' },
      { ...row, role: 'tool' },
    ]),
  ).toEqual([]);
});

it('shows the pages and components that the chat wrote as files, and no other arguments', () => {
  const step = (tool_name: string, args: object, ok = true) =>
    ({
      type: 'step',
      id: 's',
      step: tool_name,
      tool_name,
      args: JSON.stringify({ ...args, secret: CANARY }),
      ok,
    }) as Part;
  const parts = [
    step('write_file', { path: 'a/page.html', content: '<h1>one</h1>' }),
    step('edit_file', { path: 'a/page.html', old_text: 'one', new_text: 'two', all: true }),
    step('edit_file', { path: 'before.html', old_text: CANARY, new_text: CANARY }),
    step('write_file', { path: 'notes.md', content: CANARY }),
    step('write_file', { path: 'failed.jsx', content: CANARY }, false),
    step('run_command', { path: 'x.html', content: CANARY }),
  ];
  const row = { role: 'assistant', content: '', seq: 1, createdAtMs: 0, parts } as const;
  const [shared] = sharedMessages([row]);
  expect(JSON.stringify(shared)).not.toContain(CANARY);
  expect(shared?.parts?.map((part) => part['args'] && JSON.parse(String(part['args'])))).toEqual([
    { path: 'a/page.html', content: '<h1>one</h1>' },
    { path: 'a/page.html', old_text: 'one', new_text: 'two', all: true },
    ...[undefined, undefined, undefined, undefined],
  ]);
});
