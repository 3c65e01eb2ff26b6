import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { readCases } from '../../eval/read-cases.ts';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const feedback = (seq: number, fields: object) => ({
  ...{ rating: null, note: '', question: `Question ${seq}?`, answer: `Answer ${seq}.`, chat_id: 'c1', seq },
  ...{ user_id: 'usr_1', created_at: '2026-11-01T00:00:00.000Z', updated_at: '2026-11-01T00:00:00.000Z' },
  ...fields,
});
const first = [
  feedback(2, { rating: 'up', note: 'Just right' }),
  feedback(4, { rating: 'down', note: 'The sum is\nwrong', updated_at: '2026-11-20T00:00:00.000Z' }),
];
const second = [feedback(6, { question: '', updated_at: '2026-11-21T00:00:00.000Z' })];

function serve(): void {
  berth.server.on('GET /feedback', (exchange) => {
    const isSecond = exchange.request.url?.includes('cursor=') === true;
    if (!isSecond) exchange.response.setHeader('link', '</feedback?limit=2&cursor=next>; rel="next"');
    answerJson(200, isSecond ? second : first)(exchange);
  });
}

const run = (...words: string[]) => berth.runAlone(['chat', ...words, berth.server.url, '--token', 'tok']);

test('feedback of all pages, in a table and as JSON', async () => {
  serve();
  const { code, stdout } = await run('feedback');
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toMatch(/^RATING +UPDATED +QUESTION +NOTE +CHAT$/);
  expect(stdout).toMatch(/^up .*Question 2\? +Just right +c1$/m);
  expect(stdout).toMatch(/^down .*Question 4\? +The sum is wrong +c1$/m);
  expect(stdout.trimEnd().split('\n')).toHaveLength(4);
  expect(berth.server.headers.at(-1)?.authorization).toBe('Bearer tok');
  const since = await run('feedback', '--since', '2026-11-10T00:00:00Z', '--rating', 'down', '--json');
  expect(JSON.parse(since.stdout).map(({ seq }: { seq: number }) => seq)).toEqual([4, 6]);
  expect(berth.server.requests.slice(-2)).toEqual([
    'GET /feedback?rating=down',
    'GET /feedback?rating=down&cursor=next',
  ]);
});

/** Fails when `berth eval` can't read what the command writes. */
test('feedback as cases that eval reads', async () => {
  serve();
  const { stdout, stderr } = await run('feedback', '--jsonl');
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-feedback-'));
  writeFileSync(path.join(folder.path, 'feedback.jsonl'), stdout);
  const cases = await readCases(folder.path);
  expect(cases.map(({ name, input }) => [name, ...input])).toEqual([
    ['up c1 2 usr_1', 'Question 2?'],
    ['down c1 4 usr_1', 'Question 4?'],
  ]);
  expect(cases[1]?.expect.graded).toContain('The sum is\nwrong');
  expect(cases[1]?.expect.graded).toContain('Answer 4.');
  expect(stderr).toContain('1 without a question left out');
});

test('a chat as Markdown and JSON, or the chats there are', async () => {
  berth.server.on('GET /chats/c1/export', ({ request, response }) => {
    const isJson = request.url?.includes('format=json') === true;
    response.setHeader('content-type', isJson ? 'application/json' : 'text/markdown; charset=utf-8');
    response.end(isJson ? '{"id":"c1","messages":[]}\n' : '# Tides\n\n## User\n\nWann?\n');
  });
  expect((await run('export', '--json')).code).not.toBe(0);
  const exported = (...more: string[]) =>
    berth.runAlone(['chat', 'export', berth.server.url, 'c1', '--token', 'tok', ...more]);
  expect(await exported()).toMatchObject({ code: 0, stdout: '# Tides\n\n## User\n\nWann?\n' });
  expect((await exported('--json')).stdout).toBe('{"id":"c1","messages":[]}\n');
  const row = { id: 'c1', title: 'Tides', createdAt: '', updatedAt: '2026-11-20T00:00:00.000Z', favoritedAt: null };
  berth.server.on('GET /chats', answerJson(200, [{ ...row, cost: '0.000000', run: null }]));
  const { stdout, stderr } = await run('export');
  expect(stdout).toMatch(/^CHAT +UPDATED +TITLE\nc1 .* Tides\n$/);
  expect(stderr).toContain('berth chat export');
});

test.each([
  [['feedback', '--rating', 'good'], '--rating must be up or down'],
  [['feedback', '--since', 'soon'], '--since must be a duration'],
])('wrong options are refused: %j', async (words, message) => {
  expect(await run(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
