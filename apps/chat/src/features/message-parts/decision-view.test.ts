// @vitest-environment happy-dom
import type { Part } from '@berth/contract/agent';
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { PartView } from './part-view.tsx';

const on = { type: 'decision', key: 'k', tool: 'wipe', label: 'Wipe disk' } as const;
const ann = { by: 'usr_1', by_name: 'Ann', at: '2026-01-01T00:00:00Z' } as const;

// Fails when the page leaves out who decided, the reason, or that the call expired; or shows letters that nobody sees as they are.
it.each<[string, Part]>([
  ['Approved by Ann: Wipe disk', { ...on, ...ann, decision: 'approve' }],
  ['Always allowed by Ann: Wipe disk', { ...on, ...ann, decision: 'always' }],
  ['Denied by Ann: Wipe disk|Not now.', { ...on, ...ann, decision: 'deny', reason: 'Not now.' }],
  ['Denied by bob: Wipe disk', { ...on, decision: 'deny', by: 'bob', at: '' }],
  ['Approved: Wipe disk', { ...on, decision: 'approve', by: '', at: '' }],
  ['Expired without a decision: Wipe\\u{202e}disk', { ...on, decision: 'expired', label: 'Wipe\u202edisk' }],
  ['Denied by bob', { type: 'decision', key: 'k', decision: 'deny', by: 'bob', at: '' }],
])('a decision reads "%s"', async (text, part) => {
  const screen = await openChatScreen(createElement(PartView, { part, isLive: false, isAnswerLive: false }));
  const note = screen.get('note');
  const { by, at } = { by: '', at: '', ...part };
  // Fails when it isn't shown when, or the name can't be told from another person's.
  expect(note.querySelector('time')?.dateTime).toBe(at === '' ? undefined : '2026-01-01T00:00:00.000Z');
  expect(note.querySelector('[title]')?.getAttribute('title')).toBe(by === '' ? undefined : by);
  note.querySelector('time')?.remove();
  expect([...note.children].map((line) => line.textContent).join('|')).toBe(text);
});
