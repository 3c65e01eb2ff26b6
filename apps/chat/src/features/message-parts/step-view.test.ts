// @vitest-environment happy-dom
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { readableArgs, StepView } from './step-view.tsx';

it.each([
  ['an object', { a: 1 }, '{\n  "a": 1\n}'],
  ['JSON text', '{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}'],
  ['JSON that is still written', '{"a":', '{"a":'],
  ['nothing', undefined, ''],
  ['null', null, 'null'],
])('formats arguments that are %s', (_, args, text) => {
  expect(readableArgs(args)).toBe(text);
});

/** Fails when a sub-agent's steps look like those of the agent. */
it.each([
  ['of the agent', {}, false],
  ['of a sub-agent', { parent: 'a' }, true],
])('indents a step %s: %j: %s', async (_, fields, isIndented) => {
  const part = { type: 'step', id: 'b', step: 'Search', ok: true, ...fields } as const;
  const screen = await openChatScreen(createElement(StepView, { part, isLive: false }));
  expect(screen.get('img').closest('details')?.className.includes('ms-6')).toBe(isIndented);
});
