import type { AgentEnv } from '@berth/agent-core';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createAgentAddress } from './agent-address.ts';

/** What an agent that is called like this takes for its address; the message when it takes none. */
async function addressOf(
  environment: Readonly<Record<string, string>>,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const address = createAgentAddress(environment);
  const app = new Hono<AgentEnv>().get('/', (c) => c.text(address.of(c)));
  app.onError((error, c) => c.text(error.message));
  return (await app.request(url, { headers })).text();
}
const evil = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };

test('an address is the agent’s own or nobody’s, whatever a caller says', async () => {
  const declared = { BERTH_AGENT_ORIGIN: ' https://a.example , https://b.example' };
  expect(await addressOf({}, 'http://127.0.0.1:81/')).toBe('http://127.0.0.1:81');
  expect(await addressOf({}, 'http://agent.localhost:81/')).toBe('http://agent.localhost:81');
  expect(await addressOf({}, 'http://[::1]:81/')).toBe('http://[::1]:81');
  expect(await addressOf({}, 'http://127.0.0.1.evil.example/')).toMatch(/^The agent does not know that/);
  expect(await addressOf({}, 'http://127.0.0.1/', evil)).toMatch(/BERTH_AGENT_ORIGIN=https:\/\/evil\.example /);
  expect(await addressOf({ K_SERVICE: 'x' }, 'http://10.0.0.1/', { ...evil, 'x-forwarded-host': 'me.example' })).toBe(
    'https://me.example',
  );
  expect(await addressOf(declared, 'https://b.example/')).toBe('https://b.example');
  expect(await addressOf({ ...declared, K_SERVICE: 'x' }, 'http://127.0.0.1/', evil)).toBe('https://a.example');
});

test.each(['agent.example', 'https://a.example/path', 'ftp://a.example', 'https://a.example,b'])(
  'an agent with the URL "%s" does not start',
  (text) => {
    expect(() => createAgentAddress({ BERTH_AGENT_ORIGIN: text })).toThrow('is not an origin');
  },
);
