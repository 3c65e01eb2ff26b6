import type { ContentPart, Message, RunAgentInput } from '@ag-ui/core';
import { type AgentApp, type AgentAppContext, routesOf } from '@berth/agent-core';
import { createValidationError, toValidationIssues } from '@berth/contract';
import { AGENT_LIMITS, type ChatMessage, chatIdSchema } from '@berth/contract/agent';
import { eventStream, jsonBody, serverSentEvent } from '@berth/http';
import { BerthError } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { logFailure } from '../../runs/log-failure.ts';
import { callerOf, type ProtocolDeps, type ProtocolTurn, startProtocolTurn } from '../turn/protocol-turn.ts';
import { createEventMapper } from './create-event-mapper.ts';

const inputSchema = z
  .looseObject({ threadId: z.string(), runId: z.string(), messages: z.array(z.looseObject({ role: z.string() })) })
  .openapi('RunAgentInput', { description: 'As defined by the AG-UI specification 1.0' });

/** Whether a person has approved, as the payload that the interrupt asks for. */
const approvalSchema = z.object({ approved: z.boolean() });

/** The types of AG-UI that are needed at run time. */
export type AgUi = Awaited<ReturnType<typeof loadAgUi>>;

/** Loads the SDK, so that agents without the option don't pay for it. */
export async function loadAgUi() {
  const [{ EventType, omitOptionalNulls }, { RunAgentInputSchema }] = await Promise.all([
    import('@ag-ui/core'),
    import('@ag-ui/core/schemas'),
  ]);
  return { EventType, omitOptionalNulls, RunAgentInputSchema };
}

/** `POST /ag-ui`. Source: docs/contract/agent-api.md §14, "AG-UI". */
export function registerAgUiRoute(app: AgentApp, deps: ProtocolDeps, agUi: AgUi): void {
  const route = routesOf(app, deps, 'Protocols');
  route('POST /ag-ui', 'runAgUi', {
    access: 'turn',
    errors: ['conflict', 'forbidden', 'not_found', 'too_many_requests'],
    bodyBytes: AGENT_LIMITS.turnBytes,
    summary: 'Answer a message with AG-UI events',
    description: 'Server-sent events of the Agent-User Interaction protocol. A client that disconnects stops the turn.',
    request: { body: jsonBody(inputSchema) },
    responses: {
      200: { description: 'The events of the run', content: { 'text/event-stream': { schema: z.string() } } },
    },
  }).handle(async (c) => {
    const input = parseInput(c, agUi);
    const logger = c.get('logger');
    const turn = turnOf(input, c.get('user') !== undefined);
    const stop = new AbortController();
    // Fails with a status before a stream begins.
    const run = await startProtocolTurn(deps, callerOf(c), { ...turn, signal: stop.signal });
    const mapper = createEventMapper({
      types: agUi.EventType,
      threadId: input.threadId,
      runId: input.runId,
      knownCalls: knownCalls(input.messages),
    });
    const event = (one: object) => serverSentEvent(JSON.stringify(one));
    async function* follow(signal: AbortSignal): AsyncGenerator<string> {
      signal.addEventListener('abort', () => stop.abort(), { once: true });
      if (signal.aborted) stop.abort();
      try {
        yield event(mapper.start());
        for await (const frame of run) yield mapper.add(frame).map(event).join('');
        yield mapper
          .end(await run.result)
          .map(event)
          .join('');
      } catch (error) {
        const message = BerthError.is(error) && error.code !== 'internal' ? error.message : logFailure(error, logger);
        yield mapper.fail(message, 'failed').map(event).join('');
      }
    }
    return eventStream(follow, { clock: deps.clock, logger, silenceMs: AGENT_LIMITS.pingMs });
  });
}

/** @throws `invalid` naming the fields that are wrong. */
function parseInput(c: AgentAppContext, { omitOptionalNulls, RunAgentInputSchema }: AgUi): RunAgentInput {
  const body: unknown = c.req.valid('json' as never);
  const parsed = RunAgentInputSchema.safeParse(omitOptionalNulls(body, 'RunAgentInput'));
  if (!parsed.success) throw createValidationError(toValidationIssues('body', parsed.error.issues, body));
  return parsed.data as RunAgentInput;
}

/** @throws `invalid` for input that a turn can't honor. */
function turnOf(input: RunAgentInput, isStored: boolean): ProtocolTurn {
  const { threadId, messages, tools, resume = [] } = input;
  const refuse = (at: readonly (string | number)[], msg: string) =>
    createValidationError([{ loc: ['body', ...at], msg, type: 'invalid' }]);
  const chatId = chatIdSchema.safeParse(threadId).data;
  if (chatId === undefined) throw refuse(['threadId'], 'A thread id has 1 to 64 of A-Z a-z 0-9 _ -.');
  if (tools.length > 0) {
    throw refuse(['tools'], "This agent doesn't call tools of the page. Leave tools empty.");
  }
  if (resume.length > 0) {
    if (!isStored) throw refuse(['resume'], 'Nothing is stored for callers without sign-in. Send a message.');
    return {
      chatId,
      decisions: new Map(resume.map(({ interruptId, ...answer }) => [interruptId, isApproval(answer)])),
    };
  }
  const index = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[index];
  if (last?.role !== 'user') throw refuse(['messages'], 'No message has the role user.');
  const textOf = (content: string | readonly ContentPart[], at: number) => {
    if (typeof content === 'string') return content;
    const other = content.findIndex(({ type }) => type !== 'text');
    if (other !== -1) {
      const msg = 'Upload files with PUT /files/attachments/… and name their paths in the text.';
      throw refuse(['messages', at, 'content', other], msg);
    }
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  };
  return {
    chatId,
    message: textOf(last.content, index),
    ...(!isStored && { earlier: earlierOf(messages.slice(0, index), textOf) }),
  };
}

function isApproval({ status, payload }: { readonly status: string; readonly payload?: unknown }): boolean {
  return status === 'resolved' && approvalSchema.safeParse(payload).data?.approved === true;
}

/** Returns what was said before: the texts of both sides. */
function earlierOf(
  messages: readonly Message[],
  textOf: (content: string | readonly ContentPart[], at: number) => string,
): ChatMessage[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'user' && message.role !== 'assistant') return [];
    const content = message.content === undefined ? '' : textOf(message.content, index);
    return content === '' ? [] : [{ role: message.role, content }];
  });
}

function knownCalls(messages: readonly Message[]): ReadonlySet<string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return new Set(calls.map(({ id }) => id));
}
