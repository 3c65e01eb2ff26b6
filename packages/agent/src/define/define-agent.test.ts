import { expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';

test('answers a turn over a real socket', async () => {
  await using world = await openTestAgent();
  const response = await world.call('alice', 'POST', '/?id=c1', { messages: [{ role: 'user', content: 'hello' }] });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain('data: {"type":"text","text":"You said: hello"}');
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
});
