import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AuthProvider, type User, unauthenticated } from '@berth/agent-core';
import type { Chat, DecideApproval, Frame, Part } from '@berth/contract/agent';
import { type Clock, createIdSource, createSystemClock, type LogFields, type Logger } from '@berth/kit';
import type { Agent } from '../compose/agent.ts';
import type { AgentOptions } from '../compose/agent-options.ts';
import { createAgent, redefineAgent } from '../compose/define-agent.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import { factsOf } from '../models/model.ts';
import type { RunOptions, RunResult } from '../turns/agent-run.ts';
import { joinFrames, type ToolCallRecord, toolCallsOf } from './test-frames.ts';

/** Changes to an agent for a test; each option of `defineAgent` may be replaced. */
export interface TestAgentOptions extends Partial<AgentOptions> {
  /** Who speaks, unless `say` or `fetch` names someone else; `{ id: 'tester' }` by default. Ignored without `auth`. */
  readonly user?: User;
  /** `createFakeClock()` for a test that decides how time passes; the machine's clock by default. */
  readonly clock?: Clock;
  /** Environment variables; none by default, so that a test does not depend on the machine. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** An agent under test: open, with a data folder of its own, and without a port. */
export interface AgentUnderTest extends AsyncDisposable {
  readonly agent: Agent;
  /** What the model was asked, in order. Empty for an agent with a handler of its own. */
  readonly asked: readonly ModelRequest[];
  /** The lines that the agent logged. */
  readonly logs: readonly TestLogLine[];
  /** Absolute path; removed with the agent. */
  readonly dataFolder: string;
  /**
   * Sends a message and returns the finished turn. A turn that failed has the status `failed` and an `error`.
   * @throws BerthError as `agent.run` does
   */
  say(message: RunOptions['message'], options?: Omit<RunOptions, 'message'>): Promise<TestTurn>;
  /**
   * Decides on a tool call that waits for approval, as its person does on the page, and returns the answer that goes on without another
   * message. `key` is one of a turn's `approvals`.
   * @throws Error with the agent's answer when nothing waits under the key for `user`, or when the answer doesn't go on: another call of
   * the chat still waits, or the agent's handler goes on with the next message only.
   */
  decide(key: string, decision: DecideApproval['decision'], user?: User): Promise<DecidedTurn>;
  /** Asks a route of the agent, signed in as `user`; `path` begins with a slash. Null for no one. */
  fetch(path: string, init?: RequestInit, user?: User | null): Promise<Response>;
}

/** A finished turn. */
export interface TestTurn extends RunResult {
  /** Everything that was sent. Adjacent pieces of text, of thinking and of arguments are joined, since their number depends on timing. */
  readonly frames: readonly Frame[];
  /** The calls of tools, in the order in which they began. */
  readonly calls: readonly ToolCallRecord[];
}

/** An answer that went on after a decision: what it added, besides `text`, which is the chat's whole answer as Markdown. */
export interface DecidedTurn extends Pick<TestTurn, 'frames' | 'calls' | 'text' | 'chatId'> {
  readonly status: Chat['run'];
}

/** A line of the agent's log. */
export interface TestLogLine extends LogFields {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/** Grace for turns that are still running when the test ends. */
const DRAIN_MS = 0;

/**
 * Opens an agent for a test: `await using test = await testAgent(agent, { model: scripted('Hello') })`. Takes what `defineAgent` returned,
 * before it is open, or the options of one. It runs the same engine, stores and limits as a deployed agent, in a data folder of its
 * own. Sign-in is replaced: `user` is whoever the test says.
 * @throws BerthError `conflict` while the same agent is open, `invalid` for wrong options.
 */
export async function testAgent(defined: Agent | AgentOptions, change: TestAgentOptions = {}): Promise<AgentUnderTest> {
  const { user = { id: 'tester' }, clock = createSystemClock(), environment = {}, ...rest } = change;
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-test-'));
  const asked: ModelRequest[] = [];
  const logs: TestLogLine[] = [];
  const context = {
    environment,
    workingFolder: process.cwd(),
    clock,
    ids: createIdSource(),
    logger: recordTo(logs),
    onEndSignal: () => () => {},
  };
  let hasSignIn = false;
  // The agent's own database holds what its people keep.
  const prepare = ({ databaseUrl: _, ...options }: AgentOptions): AgentOptions => {
    const { auth, model, ...changed } = { ...options, ...rest };
    hasSignIn = auth !== undefined;
    return {
      ...changed,
      dataFolder,
      ...(auth && { auth: trustTokens() }),
      ...(model && { model: recordRequests(model, asked) }),
    };
  };
  try {
    const agent = isAgent(defined) ? defined : createAgent(defined, context);
    redefineAgent(agent, prepare, context);
    const ask = async (target: string, init?: RequestInit, as: User | null = user) => {
      const request = new Request(new URL(target, 'http://agent.test'), init);
      if (as) request.headers.set('Authorization', `Bearer ${tokenOf(as)}`);
      return await agent.fetch(request);
    };
    return {
      agent,
      asked,
      logs,
      dataFolder,
      async say(message, options = {}) {
        const run = await agent.run({ ...(hasSignIn && { user }), ...options, message });
        const frames: Frame[] = [];
        for await (const frame of run) frames.push(frame);
        const result = await run.result;
        return { ...result, frames: joinFrames(frames), calls: toolCallsOf(result.parts) };
      },
      decide: (key, decision, as = user) => decideCall((target, init) => ask(target, init, as), key, decision),
      fetch: ask,
      async [Symbol.asyncDispose]() {
        await agent.close({ drainMs: DRAIN_MS });
        await rm(dataFolder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(dataFolder, { recursive: true, force: true });
    throw error;
  }
}

async function decideCall(
  ask: (target: string, init?: RequestInit) => Promise<Response>,
  key: string,
  decision: DecideApproval['decision'],
): Promise<DecidedTurn> {
  const waiting = (await (await ask('/approvals')).json()) as readonly {
    readonly key: string;
    readonly chat_id: string;
  }[];
  const chatId = waiting.find((call) => call.key === key)?.chat_id;
  if (chatId === undefined) throw new Error(`No call waits under the key "${key}".`);
  const headers = { 'Content-Type': 'application/json' };
  const decided = await ask(`/approvals/${key}`, { method: 'POST', headers, body: JSON.stringify({ decision }) });
  const answer = await decided.text();
  if (!decided.ok) throw new Error(`The decision was refused: ${decided.status} ${answer}`);
  if ((JSON.parse(answer) as { readonly run?: string | null }).run == null) {
    throw new Error(
      'The answer does not go on: another call of the chat waits, or the handler needs the next message.',
    );
  }
  // Each event is one line of data; the last one, [DONE], comes when the answer is stored.
  const events = await (await ask(`/chats/${chatId}/stream`)).text();
  const frames = [...events.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json) as Frame);
  const { messages, run } = (await (await ask(`/chats/${chatId}`)).json()) as Chat;
  const { content, parts } = messages.at(-1) ?? {};
  const changed = new Set(frames.flatMap((frame) => (frame.type === 'step' ? (frame.id ?? []) : [])));
  return {
    chatId,
    status: run,
    text: typeof content === 'string' ? content : '',
    frames: joinFrames(frames),
    calls: toolCallsOf((parts ?? []) as readonly Part[]).filter(({ id }) => id !== undefined && changed.has(id)),
  };
}

function isAgent(defined: Agent | AgentOptions): defined is Agent {
  return 'fetch' in defined && 'listen' in defined;
}

function recordRequests(model: Model, asked: ModelRequest[]): Model {
  return {
    ...factsOf(model),
    stream(request) {
      asked.push(request);
      return model.stream(request);
    },
  };
}

/** Returns sign-in that believes tokens of {@link tokenOf}. */
function trustTokens(): AuthProvider {
  return {
    open: () => ({
      signIn: null,
      async verify(token) {
        const user: unknown = JSON.parse(Buffer.from(token, 'base64url').toString() || 'null');
        if (typeof user === 'object' && user !== null && 'id' in user) return user as User;
        throw unauthenticated('The token is not one of this test.');
      },
    }),
  };
}

function tokenOf(user: User): string {
  return Buffer.from(JSON.stringify(user)).toString('base64url');
}

function recordTo(lines: TestLogLine[], common: LogFields = {}): Logger {
  const record = (level: TestLogLine['level']) => (fields: LogFields, message: string) =>
    void lines.push({ ...common, ...fields, level, message });
  return {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
    child: (fields) => recordTo(lines, { ...common, ...fields }),
  };
}
