import { expect, test } from 'vitest';
import { chatCompletions } from '../models/chat-completions/chat-completions.ts';
import { openLoopAgent } from './testing/open-loop-agent.ts';

test('an agent can be the model of another, by its own Chat Completions', async () => {
  const prices = { models: { inner: { input: 1, output: 1 } } };
  await using inner = await openLoopAgent([{ thinking: 'hm', text: 'I am the inner one. Grüße 👋' }]);
  await using outer = await openLoopAgent(chatCompletions({ model: 'inner', baseUrl: inner.url, apiKey: 'alice' }), {
    prices,
  });
  expect((await outer.say('Who are you?')).text).toBe('I am the inner one. Grüße 👋');
  expect(outer.usage).toMatchObject([{ model: 'inner', priced: true }]);
  await using refused = await openLoopAgent(chatCompletions({ model: 'inner', baseUrl: inner.url, apiKey: 'expired' }));
  expect((await refused.say('Hi')).frames).toContainEqual(expect.objectContaining({ type: 'callout', style: 'error' }));
});
