import { expect, test } from 'vitest';
import { dev } from '../auth/dev.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { createAgent } from './define-agent.ts';
import { currentProcess } from './process-context.ts';

const APP = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';

const preflight = (url: string, origin: string, path = '/chat') =>
  fetch(`${url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type, x-workspace',
    },
  });

const allowed = (response: Response) => response.headers.get('access-control-allow-origin');

// Fails when the default of an agent with sign-in refuses other origins, when one without sign-in allows them, when a token that
// everyone knows counts as one, or when a named list lets others in.
test.each([
  ['with auth', {}, { [APP]: '*', [LOCAL]: '*' }],
  ['with auth, in production', { environment: { NODE_ENV: 'production', BERTH_AGENT_DATA: '.' } }, { [APP]: '*' }],
  ['without auth', { hasAuth: false }, { [APP]: null, [LOCAL]: LOCAL, 'https://localhost.example.com': null }],
  ['without auth, in production', { hasAuth: false, environment: { NODE_ENV: 'production' } }, { [LOCAL]: null }],
  ['with dev()', { auth: dev() }, { [APP]: null, [LOCAL]: LOCAL }],
  ['for a list', { cors: { origins: [APP] } }, { [APP]: APP, [LOCAL]: null, [`${APP}.evil.com`]: null, null: null }],
  ['for all', { hasAuth: false, cors: { origins: '*' as const } }, { [APP]: '*' }],
  ['for nobody', { cors: { origins: [] } }, { [APP]: null, [LOCAL]: null }],
])('an agent %s answers pages of these origins', async (_title, options, origins) => {
  // Holds the agent to the contract: verifies('cors.default', 'cors.origins')
  await using agent = await openTestAgent(options);
  for (const [origin, expected] of Object.entries(origins)) {
    const asked = await preflight(agent.url, origin);
    expect([origin, allowed(asked)]).toEqual([origin, expected]);
    expect(allowed(await fetch(`${agent.url}/config`, { headers: { origin } }))).toBe(expected);
    if (expected === null) continue;
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-headers')).toContain('x-workspace');
    expect(asked.headers.get('access-control-allow-methods')).toContain('DELETE');
    // A browser must never send its own credentials along.
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
  }
});

// Fails when errors lack the headers, so that a page sees a network error in place of the reason.
test('errors and streams can be read by the page too', async () => {
  await using agent = await openTestAgent({ cors: { origins: [APP] } });
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${agent.url}${path}`, { ...init, headers: { ...init.headers, origin: APP } });
  for (const path of ['/chats', '/none', '/chat']) {
    const answer = await call(path);
    expect([path, allowed(answer), answer.headers.get('vary')]).toEqual([path, APP, expect.stringContaining('Origin')]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  }
  const turn = await call('/chat', {
    method: 'POST',
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect([turn.status, allowed(turn)]).toEqual([200, APP]);
  expect(await turn.text()).toContain('You said: hi');
});

// Fails when OPTIONS without a preflight's header is answered by the middleware.
test('a request that is no preflight is answered as ever', async () => {
  await using agent = await openTestAgent();
  const answer = await fetch(`${agent.url}/chat`, { method: 'OPTIONS', headers: { origin: APP } });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});

test.each([
  [{ origins: APP }, /cors names origins/],
  [{ origins: [`${APP}/path`] }, /is no origin/],
  [{ origins: ['app.example.com'] }, /is no origin/],
  [{ origins: ['*'] }, /is no origin/],
  [{}, /cors names origins/],
])('wrong options are refused: %j', (cors, message) => {
  const options = { name: 'a', handler: () => [], cors: cors as never };
  expect(() => createAgent(options, currentProcess())).toThrow(message);
});
