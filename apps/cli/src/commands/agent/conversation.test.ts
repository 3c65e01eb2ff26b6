import {
  answerJson,
  createScriptedClock,
  createScriptedServer,
  type Handler,
  type ScriptedServer,
} from '@berth/client/testing';
import type { Frame } from '@berth/contract/agent';
import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessOptions, runInProcess } from '../../testing/run-in-process.ts';

let agent: ScriptedServer;
let platform: ScriptedServer;
/** The bodies of the messages that were sent. */
let said: Record<string, unknown>[];
/** What the person is asked at their prompt, in order. */
let asked: string[];
beforeEach(async () => {
  agent = await createScriptedServer({ 'GET /config': answerJson(200, { name: 'echo', title: 'Echo\u001b[2J' }) });
  platform = await createScriptedServer();
  said = [];
  asked = [];
  return async () => {
    await agent.close();
    await platform.close();
  };
});

const events = (...frames: readonly Frame[]) =>
  frames.map((frame, index) => `id: r:${index + 1}\ndata: ${JSON.stringify(frame)}\n\n`).join('');

/** Answers each message with the next of these turns. */
function answers(...turns: readonly (readonly Frame[])[]): void {
  const left = [...turns];
  agent.on('POST /chat', async (exchange) => {
    said.push(await exchange.json());
    exchange.response.end(`${events(...(left.shift() ?? []))}data: [DONE]\n\n`);
  });
}
const text = (value: string): Frame => ({ type: 'text', text: value });
const ask = (key: string): Frame => ({
  type: 'ui',
  action: 'confirm',
  key,
  label: `Delete ${key}`,
  tool: 'rm',
  args: {},
});
const approve = (): Handler => {
  const decide: Handler = async (exchange) => {
    const key = exchange.path.split('/').at(-1) ?? '';
    decided.push([key, (await exchange.json())['decision']]);
    await answerJson(200, { ok: true })(exchange);
  };
  return decide;
};
let decided: unknown[] = [];

/** Talks to the agent: types these lines, then Ctrl-D. */
function talk(lines: readonly string[], words: readonly string[] = [], options: InProcessOptions = {}) {
  const left = [...lines];
  const line = async (prompt: string) => {
    asked.push(prompt.trim());
    return left.shift();
  };
  const common = { prompts: { line }, clock: createScriptedClock() };
  return runInProcess(platform, ['chat', agent.url, '--chat', 'c1', ...words], { ...common, ...options });
}

describe('a conversation', () => {
  beforeEach(() => {
    agent.on('GET /chats/c1/stream', answerJson(404, { detail: 'Nothing runs.' }));
    agent.on('GET /chats/c1/approvals', answerJson(200, []));
    decided = [];
    agent.on('POST /chats/c1/approvals/*', approve());
  });

  test('goes line by line to Ctrl-D, and brings what was said along', async () => {
    answers([text('Hello.')], [text('Twice.')]);
    const { code, stdout, stderr, binary } = await talk(['hi', '', '  ', 'again']);
    expect([code, stdout, String(binary)]).toEqual([0, '', 'Hello.\nTwice.\n']);
    // Fails when an empty line is sent, when an agent that keeps no chats is sent the last line alone, or when the answer that
    // isn't running becomes an empty message at the beginning.
    expect(said.map(({ messages }) => messages)).toEqual([
      [{ role: 'user', content: 'hi' }],
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'again' },
      ],
    ]);
    expect(stderr).toContain('Echo chat c1; Ctrl-D leaves');
  });

  // Fails when any answer but y, yes, a and always allows a tool: Enter, a typing error and Ctrl-D must not.
  test.each([
    ['y', 'approve'],
    [' YES ', 'approve'],
    ['a', 'always'],
    ['always', 'always'],
    ['', 'deny'],
    ['n', 'deny'],
    ['yeah', 'deny'],
    ['all', 'deny'],
    [undefined, 'deny'],
  ])('an answer %j is %s', async (answer, decision) => {
    answers([ask('k1')], [text('Done.')]);
    const left = ['tidy up', answer];
    const prompts = { line: async () => left.shift() };
    const { code, binary } = await talk([], [], { prompts });
    expect([code, decided]).toEqual([0, [['k1', decision]]]);
    // Fails when the agent is told to go on after a no: it would ask the same again.
    expect(said.map(({ messages }) => (messages as { content: string }[]).at(-1)?.content)).toEqual(
      decision === 'deny' ? ['tidy up'] : ['tidy up', 'Go on.'],
    );
    expect(String(binary)).toBe(decision === 'deny' ? '' : 'Done.\n');
  });

  test('asks about each tool that waits, and goes on while there are more', async () => {
    answers([ask('k1'), ask('k2')], [ask('k3')], [text('Done.')]);
    await talk(['tidy up', 'n', 'y', 'y']);
    expect(decided).toEqual([
      ['k1', 'deny'],
      ['k2', 'approve'],
      ['k3', 'approve'],
    ]);
    expect(said).toHaveLength(3);
    expect(asked).toEqual(['>', ...Array(3).fill('Allow? [y]es, [a]lways, [N]o:'), '>']);
  });

  // Fails when a message is made up although the agent goes on by itself.
  test('follows an answer that goes on by itself after the decisions', async () => {
    answers([ask('k1')]);
    agent.on('POST /chats/c1/approvals/*', answerJson(200, { ok: true, tool: 'rm', decision: 'deny', run: 'r2' }));
    let follows = 0;
    agent.on('GET /chats/c1/stream', async (exchange) => {
      if (follows++ === 0) return await answerJson(404, { detail: 'Nothing runs.' })(exchange);
      exchange.response.end(`${events(text('Then not.'))}data: [DONE]\n\n`);
    });
    const { binary } = await talk(['tidy up', 'n']);
    expect([String(binary), said.length]).toEqual(['Then not.\n', 1]);
  });

  test('that is taken up shows the answer that runs, and asks what waits', async () => {
    agent.on('GET /chats/c1/stream', ({ response }) => void response.end(`${events(text('Half.'))}data: [DONE]\n\n`));
    const waiting = { key: 'k9', label: 'Wipe all', tool: 'wipe', args: {} };
    agent.on('GET /chats/c1/approvals', answerJson(200, [waiting]));
    answers([text('Wiped.')]);
    const { binary, stderr } = await talk(['y']);
    expect([String(binary), decided]).toEqual(['Half.\nWiped.\n', [['k9', 'approve']]]);
    expect(stderr).toContain('Wipe all wipe {}');
  });

  test('shows what the agent proposes, without what it would do to the terminal', async () => {
    const evil = 'Try\u001b]0;owned\u0007 this';
    answers([
      { type: 'ui', action: 'suggest', suggestions: [evil] } as Frame,
      { type: 'ui', action: 'ask', question: evil } as Frame,
    ]);
    const { stderr } = await talk(['hi']);
    expect(stderr).toContain('  Try this\nTry this\n');
    expect(stderr).not.toMatch(/owned|\p{Cc}(?<![\n\t])/u);
  });
});

describe('who an agent hears from', () => {
  const expires = (afterMs: number) => new Date(afterMs).toISOString();

  test('at an address it hears nothing of the platform’s key', async () => {
    answers([text('Hello.')]);
    await talk([], ['-m', 'hi']);
    // Fails when the client of the platform is used for the agent: anyone could collect keys with an address.
    expect(agent.headers.some((headers) => 'x-api-key' in headers || 'authorization' in headers)).toBe(false);
    expect(platform.requests).toEqual([]);
  });

  test('a token of the command line goes before that of the environment', async () => {
    answers([], []);
    const environment = { BERTH_AGENT_TOKEN: 'of-env' };
    await talk([], ['-m', 'hi'], { environment });
    await talk([], ['-m', 'hi', '--token', 'of-flag'], { environment });
    expect(agent.headers.map(({ authorization }) => authorization)).toEqual(['Bearer of-env', 'Bearer of-flag']);
  });

  test('a deployment gets tokens of its own, and a new one before the old one ends', async () => {
    platform.on('GET /v1/deployment/echo', answerJson(200, { name: 'echo', url: agent.url }));
    let made = 0;
    platform.on('POST /v1/user/token', async (exchange) => {
      expect(await exchange.json()).toEqual({ deployment: 'echo' });
      // The first one ends within the two minutes that are kept to spare.
      const answer = { token: `jwt-${++made}`, expires_at: expires(made === 1 ? 100_000 : 10_000_000) };
      await answerJson(200, answer)(exchange);
    });
    answers([text('a')], [text('b')]);
    const left = ['hi', 'again'];
    await runInProcess(platform, ['chat', 'echo'], {
      prompts: { line: async () => left.shift() },
      clock: createScriptedClock(),
    });
    // Fails when the spare time isn't kept: a turn that takes long would be cut off at its reconnect.
    expect(agent.headers.map(({ authorization }) => authorization)).toEqual([
      ...['Bearer jwt-1', 'Bearer jwt-2', 'Bearer jwt-2'],
    ]);
    expect(agent.headers.some((headers) => 'x-api-key' in headers)).toBe(false);
  });
});

test('a message that asks for a tool in a script fails, and allows nothing by itself', async () => {
  decided = [];
  agent.on('POST /chats/c1/approvals/*', approve());
  answers([ask('k1')]);
  const { code, stderr } = await talk([], ['-m', 'tidy up']);
  expect([code, decided]).toEqual([1, []]);
  expect(stderr).toContain(`--chat c1 -m "Go on." --approve k1`);
});

test('Ctrl-C stops the answer and not the command; one that can’t be stopped says so', async () => {
  let interrupt = () => {};
  agent.on('POST /chat', ({ response }) => {
    response.write(events(text('Half')), () => interrupt());
    agent.on('POST /chats/c1/stop', (exchange) => {
      answerJson(500, { detail: 'Something broke.' })(exchange);
      response.end('data: [DONE]\n\n');
    });
  });
  const onInterrupt = (handler: () => void) => {
    interrupt = handler;
    return { [Symbol.dispose]: () => {} };
  };
  const { code, stderr, binary } = await talk([], ['-m', 'hi'], { onInterrupt });
  expect([code, String(binary)]).toEqual([0, 'Half\n']);
  expect(stderr).toContain('Stopping; Ctrl-C again to leave.');
});
