import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Deployment } from '@berth/contract';
import type { Chat } from '@berth/contract/agent';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveMcp } from '../../packages/agent-connectors/src/mcp/testing/serve-mcp.ts';
import { type AgentCaller, agentToken, callerOf, textOf } from '../harness/agents.ts';
import { REPO } from '../harness/berth.ts';
import { type GuideShell, guideBlocks, openGuideShell } from '../harness/guide-shell.ts';
import { needs } from '../harness/needs.ts';
import { readLogs } from '../harness/read-logs.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

// A newcomer's way through docs/guides/agents.md: its files and its commands as they stand, with a model and an MCP server of
// the test's own, and a test suite of 5 s in place of 20.

const NAME = 'triage';
const KEY = 'sk-newcomer';

interface ModelMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The answers of the model to a message, in order: text, or the call of a tool. */
const ANSWERS: readonly (readonly [says: RegExp, answers: readonly (string | readonly [string, object])[]])[] = [
  [/^Run the tests of issue 7/, [['run_tests', { number: 7 }], '12 tests passed.']],
  [
    /^Have issue 7 tested/,
    [
      ['read_issue', { number: 7 }],
      ['tester', { task: 'Run the tests of issue 7.' }],
      'Issue 7 is fixed: 12 tests passed.',
    ],
  ],
  [/issue 7/, [['read_issue', { number: 7 }], 'Issue 7 is open.']],
  [/^Close issue 8/, [['close_issue', { number: 8 }], 'Issue 8 is closed.']],
  [/nodejs\/undici/, [['wiki__ask_question', { repoName: 'nodejs/undici' }], 'undici is an HTTP client.']],
];

const model = createServer(async (request, response) => {
  const { messages } = (await json(request)) as { messages: readonly ModelMessage[] };
  if (request.headers.authorization !== `Bearer ${KEY}`) return response.writeHead(401).end('{}');
  // What tells the model to go on is a user's message, too.
  const index = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !JSON.stringify(content).includes('[The p'),
  );
  const text = JSON.stringify(messages[index]?.content).replace(/^"/, '');
  const said = messages.slice(index).filter(({ role }) => role === 'tool').length;
  const answer = ANSWERS.find(([says]) => says.test(text))?.[1][said] ?? `No answer to ${text}`;
  const [name, args] = typeof answer === 'string' ? [] : answer;
  const call = { index: 0, id: `call_${name}`, function: { name, arguments: JSON.stringify(args) } };
  const delta = typeof answer === 'string' ? { content: answer } : { tool_calls: [call] };
  const chunk = { choices: [{ index: 0, delta, finish_reason: typeof answer === 'string' ? 'stop' : 'tool_calls' }] };
  return response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
}).listen(0, '127.0.0.1');
await once(model, 'listening');
const modelPort = (model.address() as AddressInfo).port;
const wiki = await serveMcp({
  'tools/list': {
    tools: [{ name: 'ask_question', inputSchema: { type: 'object', properties: { repoName: { type: 'string' } } } }],
  },
  'tools/call': { content: [{ type: 'text', text: 'undici: an HTTP/1.1 client' }] },
});

const berth = useBerth({ args: ['--host-ports', `${modelPort},${new URL(wiki.url).port}`] });
const folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-guide-'));
const projectFile = (name: string) => path.join(folder.path, NAME, name);
let shell: GuideShell;
let caller: AgentCaller;

const runSection = async (heading: string) => {
  const blocks = guideBlocks('agents', 'sh', heading);
  expect(blocks).toHaveLength(1);
  return await shell.run(blocks.join());
};
const messagesOf = async (query: string) => (await readLogs(berth, NAME, { query })).logs.map(({ message }) => message);
const readChat = async (id: string) => (await caller.call('GET', `/chats/${id}`)).json<Chat>();

beforeAll(() => {
  shell = openGuideShell(berth, folder.path, { MODEL_KEY: KEY });
});
beforeEach((context) => needs(context, 'curl', 'jq', 'procfs'));
afterAll(async () => {
  folder[Symbol.dispose]();
  model.close();
  await wiki[Symbol.asyncDispose]();
});

/** The states of `agent.ts`, one for each step. */
function stepsOf([first = '', ...later]: readonly string[]): readonly string[] {
  const steps = [first];
  for (const block of later) {
    steps.push(String(steps.at(-1)).replace(/^export const agent = [\s\S]*?^\}\);\n/m, () => block));
  }
  return steps;
}

/** What the shell has printed that runs the section about the kill. */
let killed: Promise<string>;
let runId: Chat['run_id'];

describe('the newcomer of docs/guides/agents.md', { timeout: 120_000 }, () => {
  it('builds the agent', async () => {
    await runSection('Build one, step by step');
    const [whole = ''] = guideBlocks('agents', 'ts whole');
    const quick = whole.replace('20_000', '5_000');
    expect(quick).not.toBe(whole);
    writeFileSync(projectFile('agent.ts'), quick);
    writeFileSync(projectFile('agent.test.ts'), guideBlocks('agents', 'ts agent.test.ts').join());
  });

  it('deploys the agent and talks to it', async () => {
    const set = {
      MODEL_URL: `http://127.0.0.1:${modelPort}/v1`,
      WIKI_URL: wiki.url,
      BERTH_AGENT_ALLOWED_NETWORKS: '127.0.0.1/32',
    };
    expect((await berth.post('/v1/env/set', { deployment_name: NAME, set })).status).toBe(200);
    expect(await runSection('7. Deploy it')).toContain('Issue 7 is open.');
    const { schedule } = (await (await berth.api(`/v1/deployment/${NAME}`)).json()) as Deployment;
    expect(schedule).toMatchObject({ cron: '0 7 * * MON-FRI' });
    caller = callerOf(berth, NAME, await agentToken(berth, NAME));
  });

  // The turn goes on 30 s later. The tests between this one and the last one use that time.
  it('kills the agent in the middle of a turn', async () => {
    killed = runSection('10. Kill it in the middle of a turn');
    // The last test awaits it; a failure before that is the one to report.
    killed.catch(() => {});
    await waitFor('the next instance has started', async () =>
      (await messagesOf('log_name="system"')).includes('Instance started: the previous instance crashed.'),
    );
    runId = (await readChat('fixed')).run_id;
  });

  // Fails when a decision doesn't go on with the answer.
  it('approves a call', async () => {
    await runSection('8. Approve a call');
    await waitFor('the answer went on', async () => (await readChat('cleanup')).run !== 'running');
    const { messages } = await readChat('cleanup');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(messages.at(-1)?.content).toContain('Issue 8 is closed.');
  });

  // Fails when `agent.on('cron')` isn't called, or its turn isn't run.
  it('fires the schedule', async () => {
    expect(await runSection('9. Fire the schedule')).toMatch(/succeeded[\s\S]*Report: Issue 7 is open\./);
  });

  // Fails when the connector's tools aren't offered, or `risks` isn't followed: the call then waits for approval.
  it('asks the connector', async () => {
    using asked = await caller.turn('wiki', 'What is in the repository nodejs/undici?');
    expect(textOf(await asked.finish())).toBe('undici is an HTTP client.');
    expect(wiki.asked.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  });

  it('runs the test of the agent', async () => {
    expect(await runSection('6. A test')).toMatch(/ pass 3\n.* fail 0\n/);
  });

  // Fails when a step of the guide differs from the whole file, or a type of the library doesn't fit.
  it('has a file that compiles after each step', async () => {
    const steps = stepsOf(guideBlocks('agents', 'ts agent.ts'));
    expect(steps).toHaveLength(5);
    expect(steps.at(-1)).toBe(guideBlocks('agents', 'ts whole').join());
    for (const [index, step] of steps.entries()) writeFileSync(projectFile(`step-${index + 1}.ts`), step);
    const tsc = path.join(REPO, 'node_modules/.bin/tsc');
    const compiled = await promisify(execFile)(tsc, ['-p', '.'], { cwd: projectFile('.') }).catch((error) => error);
    expect(compiled.stdout).toBe('');
  });

  it('begins with an agent in ten lines', async () => {
    expect(await runSection('# Agents')).toContain('You said: Hello');
  });

  // Fails when the turn isn't taken over, when the reader loses its place, or when finished steps are shown or run again.
  it('sees the killed turn finish', async () => {
    const shown = await killed;
    const steps = shown.split('\n').filter((line) => /read_issue|run_tests|tester/.test(line));
    expect(
      steps.map((line) => line.replace(/^.*? (?=\w)/, '')),
      shown,
    ).toEqual(['read_issue', 'run_tests', 'tester: Run the tests of issue 7.']);
    expect(shown).not.toContain('from the start');
    expect(shown).toContain('Issue 7 is fixed: 12 tests passed.');
    const chat = await readChat('fixed');
    expect([chat.run, chat.run_id]).toEqual(['done', runId]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await messagesOf('log_name="system" AND "SIGKILL"')).toEqual(['Instance crashed: ended by SIGKILL.']);
    expect(await messagesOf(`jsonPayload.runId="${runId}" AND "issue read"`)).toHaveLength(1);
    expect(await messagesOf(`jsonPayload.runId="${runId}" AND "tests started"`)).toHaveLength(2);
  });
});
