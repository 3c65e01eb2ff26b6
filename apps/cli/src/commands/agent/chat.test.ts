import { answerJson, type Handler } from '@berth/client/testing';
import type { Frame } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const events = (frames: readonly Frame[]) =>
  frames.map((frame, index) => `id: r:${index + 1}\ndata: ${JSON.stringify(frame)}\n\n`).join('');
const turn =
  (...frames: Frame[]): Handler =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${events(frames)}data: [DONE]\n\n`);
  };
const hello = turn({ type: 'chat_id', chat_id: 'c' }, { type: 'text', text: 'Hello.' });

test('says one message to an address and prints the answer alone', async () => {
  berth.server.on('POST /chat', hello);
  const { code, stdout, stderr } = await berth.runAlone(['chat', berth.server.url, '-m', 'Hi', '--token', 'tok']);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Hello.\n', stderr: '' });
  expect(berth.server.requests.at(-1)).toMatch(/^POST \/chat\?id=[0-9a-f-]{36}$/);
  expect(berth.server.headers.at(-1)?.authorization).toBe('Bearer tok');
});

test('says to a deployment who is asking, with a token of the platform', async () => {
  berth.server.on('GET /v1/deployment/echo', answerJson(200, { name: 'echo', url: berth.server.url }));
  const expires_at = new Date(Date.now() + 600_000).toISOString();
  berth.server.on('POST /v1/user/token', answerJson(200, { token: 'jwt', token_type: 'Bearer', expires_at }));
  berth.server.on('POST /chat', hello);
  const { code, stdout } = await berth.run(['chat', 'echo', '--json'], 'from a pipe');
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type),
  ).toEqual(['chat_id', 'text']);
  // Fails when the token replaces the headers of the request instead of joining them: an agent refuses a body without its type.
  expect(berth.server.headers.at(-1)).toMatchObject({
    authorization: 'Bearer jwt',
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^berth/),
  });
});

test('says how to allow what is asked for, and sends what was allowed', async () => {
  const bodies: Record<string, unknown>[] = [];
  berth.server.on('POST /chat', async (exchange) => {
    bodies.push(await exchange.json());
    const args = { path: 'a.txt' };
    await turn({ type: 'ui', action: 'confirm', tool: 'delete_file', key: 'k1', label: 'Delete a.txt', args })(
      exchange,
    );
  });
  const asked = await berth.run(['chat', berth.server.url, '-m', 'Tidy up', '--chat', 'c1', '--ask']);
  expect(asked.code).toBe(1);
  expect(asked.stderr).toContain('Delete a.txt (delete_file) {"path":"a.txt"}');
  expect(asked.stderr).toContain('--chat c1 -m "Go on." --approve k1');
  await berth.run(['chat', berth.server.url, '-m', 'Go on.', '--chat', 'c1', '--approve', 'k1']);
  expect(bodies).toMatchObject([
    { auto: false, approvals: [], messages: [{ role: 'user', content: 'Tidy up' }] },
    { auto: true, approvals: ['k1'] },
  ]);
});

const row = (id: string, name: string, role = 'editor') => ({
  id,
  name,
  role,
  type: id.startsWith('t-') ? 'team' : 'personal',
});

test('works in the workspace of a team, by its name or id, and lists those there are', async () => {
  const rows = [row('u-ann', 'Personal', 'owner'), row('t-1', 'Marketing'), row('t-2', 'Ops'), row('t-3', 'ops')];
  berth.server.on('GET /workspaces', answerJson(200, rows));
  berth.server.on('POST /chat', turn({ type: 'ui', action: 'confirm', key: 'k1', label: 'Delete a.txt', args: {} }));
  const chat = (workspace: string) =>
    berth.runAlone(['chat', berth.server.url, '-m', 'Hi', '--chat', 'c1', '--workspace', workspace]);
  for (const [word, id] of [
    ['marketing', 't-1'],
    ['t-2', 't-2'],
  ] as const) {
    const { stderr } = await chat(word);
    expect(berth.server.headers.at(-1)?.['x-workspace']).toBe(id);
    expect(stderr).toContain(`--chat c1 --workspace ${id} -m "Go on." --approve k1`);
  }
  expect(await chat('OPS')).toMatchObject({ code: 2, stderr: expect.stringContaining('Give an id: t-2, t-3') });
  expect(await chat('t-9')).toMatchObject({ code: 1, stderr: expect.stringContaining('in no workspace "t-9"') });
  const listed = await berth.runAlone(['workspaces', berth.server.url]);
  expect(listed.stdout).toBe(
    [
      'ID     ROLE    NAME',
      'u-ann  owner   Personal',
      't-1    editor  Marketing',
      't-2    editor  Ops',
      't-3    editor  ops',
      '',
    ].join('\n'),
  );
  berth.server.on('GET /workspaces', answerJson(404, { detail: 'Not found' }));
  const alone = await berth.runAlone(['workspaces', berth.server.url]);
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('This agent has no workspaces') });
});

test('stops the answer at Ctrl-C and shows what there is of it', async () => {
  let end = () => {};
  berth.server.on('POST /chat', ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events([{ type: 'text', text: 'Half' }]));
    end = () => response.end('data: [DONE]\n\n');
  });
  berth.server.on('POST /chats/c9/stop', (exchange) => {
    answerJson(202, { stopping: true })(exchange);
    end();
  });
  const running = berth.start(['chat', berth.server.url, '-m', 'Hi', '--chat', 'c9']);
  await expect.poll(() => running.stdout, { timeout: 20_000 }).toContain('Half');
  running.process.kill('SIGINT');
  expect(await running.result).toMatchObject({
    code: 0,
    stdout: 'Half\n',
    stderr: expect.stringContaining('Stopping'),
  });
});

test.each([
  [2, ['chat', 'Not A Name', '-m', 'x'], 'neither the name of a deployment nor an address'],
  [2, ['chat', 'http://localhost:1', '--chat', '../x', '-m', 'x'], 'a chat ID has 1 to 64'],
  [2, ['chat', 'http://localhost:1', '-m', ' '], 'No message'],
  [
    1,
    ['chat', 'http://agent.localhost:65535', '-m', 'x'],
    "Can't reach http://agent.localhost:65535: nothing is listening there.\n",
  ],
])('%i for berth %j', async (code, words, message) => {
  expect(await berth.run(words)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
});

test('talks to an agent in development as everybody does', async () => {
  berth.server.on('GET /config', answerJson(200, { title: 'Bot', sign_in: { token: 'dev' } }));
  berth.server.on('POST /chat', hello);
  const { code, stdout } = await berth.runAlone(['chat', berth.server.url, '-m', 'Hi']);
  expect([code, stdout]).toEqual([0, 'Hello.\n']);
  // Fails when the agent isn't asked how people sign in: `berth chat http://localhost:3000` of a new project is refused.
  expect(berth.server.headers.at(-1)?.authorization).toBe('Bearer dev');
});

test('says what to give to an agent that wants to know who is asking', async () => {
  berth.server.on('POST /chat', answerJson(401, { detail: 'No token.' }));
  const { code, stderr } = await berth.run(['chat', berth.server.url, '-m', 'x']);
  expect(code).toBe(1);
  expect(stderr).toContain('--token or BERTH_AGENT_TOKEN');
  // Fails when the platform's key is blamed, which the agent never got.
  expect(stderr).not.toContain('berth login');
});
