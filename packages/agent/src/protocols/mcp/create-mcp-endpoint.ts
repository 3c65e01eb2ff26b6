import { randomUUID } from 'node:crypto';
import { createError } from '@berth/contract';
import { AGENT_LIMITS, type Frame } from '@berth/contract/agent';
import { BerthError, describeError } from '@berth/kit';
import type {
  CallToolResult,
  InputRequiredResult,
  McpServerFactory,
  ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { logFailure } from '../../runs/log-failure.ts';
import type { AgentRun, PendingApproval, RunResult } from '../../turns/agent-run.ts';
import { type ProtocolCaller, type ProtocolDeps, type ProtocolTurn, startProtocolTurn } from '../turn/protocol-turn.ts';

/** An MCP server without sessions: any instance answers any request. */
export type McpEndpoint = Awaited<ReturnType<typeof createMcpEndpoint>>;

/** Version of the server that clients are told. The tool is the contract; its input only grows. */
const VERSION = '1.0.0';

/** Longest message in characters; the bound of the body holds for all of it. */
const MAX_MESSAGE = 1_000_000;

const message = z
  .string()
  .min(1)
  .max(MAX_MESSAGE)
  .describe('The question, with all the information that the agent needs.');
const chatId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/)
  .optional()
  .describe('The chat_id of an earlier answer, to go on with that conversation. Absent: a new one begins.');

const answer = z.object({
  chat_id: z.string().describe('Send it with the next message of this conversation.'),
  status: z.enum(['done', 'stopped', 'interrupted', 'failed', 'needs_approval']),
  text: z.string().describe('The answer as Markdown.'),
  approvals: z
    .array(z.object({ tool: z.string(), label: z.string(), args: z.record(z.string(), z.unknown()) }))
    .describe('Calls that wait until the person approves them. They have not run.'),
});

/** State sent back with the person's decisions. It names rows of the caller's own, which are looked up again. */
const stateSchema = z.object({ chatId: z.string(), keys: z.array(z.string()) });

/** The envelope of a client that shows forms. Source: the MCP specification of 2026-07-28, "Elicitation". */
const capableSchema = z.object({
  'io.modelcontextprotocol/clientCapabilities': z.object({ elicitation: z.object({}).loose() }).loose(),
});

const decisionSchema = z.object({ approve: z.boolean() });

/**
 * Creates the agent's MCP server, for the current revision of the protocol and those of 2025. The SDK is loaded here, so that agents
 * without the option don't pay for it.
 */
export async function createMcpEndpoint(deps: ProtocolDeps) {
  const { createMcpHandler, inputRequired, McpServer } = await import('@modelcontextprotocol/server');
  const { agentName, agentTitle, agentDescription = `Asks the agent ${agentTitle}.`, logger } = deps;

  /** Asks the person for decisions on what waits, by the client. */
  const ask = (chat: string, approvals: readonly PendingApproval[]) =>
    inputRequired({
      requestState: JSON.stringify({ chatId: chat, keys: approvals.map(({ key }) => key) }),
      inputRequests: Object.fromEntries(
        approvals.map(({ key, tool, label, args }) => [
          key,
          inputRequired.elicit({
            message: `${agentTitle} asks to run ${tool}: ${label}\n${JSON.stringify(args, undefined, 2)}`,
            requestedSchema: {
              type: 'object',
              properties: { approve: { type: 'boolean', title: 'Approve', description: 'Run this call once' } },
              required: ['approve'],
            },
          }),
        ]),
      ),
    });

  const call = async (
    caller: ProtocolCaller,
    turn: Omit<ProtocolTurn, 'signal'>,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> => {
    const run = await startProtocolTurn(deps, caller, { ...turn, signal: context.mcpReq.signal });
    await reportProgress(run, context);
    const result = await run.result;
    return canAsk(context) && result.approvals.length > 0 && caller.user
      ? ask(result.chatId, result.approvals)
      : toToolResult(result);
  };

  const factory: McpServerFactory = ({ authInfo }) => {
    const caller = authInfo?.extra?.['caller'] as ProtocolCaller;
    const server = new McpServer({ name: agentName, title: agentTitle, version: VERSION });
    server.registerTool(
      toolNameOf(agentName),
      {
        title: agentTitle,
        description: agentDescription,
        // Nothing is kept of conversations without a person.
        inputSchema: caller.user ? z.object({ message, chat_id: chatId }) : z.object({ message }),
        outputSchema: answer,
        annotations: { readOnlyHint: false, openWorldHint: true },
      },
      async (input: { readonly message: string; readonly chat_id?: string | undefined }, context) => {
        try {
          const state = stateOf(context);
          if (!state)
            return await call(caller, { chatId: input.chat_id ?? randomUUID(), message: input.message }, context);
          const decisions = decisionsOf(state.keys, context);
          if (decisions.size === 0) return undecided(state.chatId);
          return await call(caller, { chatId: state.chatId, decisions }, context);
        } catch (error) {
          return { isError: true, content: [{ type: 'text', text: explain(error, deps) }] };
        }
      },
    );
    return server;
  };
  return createMcpHandler(factory, {
    maxRequestBodySize: AGENT_LIMITS.turnBytes,
    keepAliveMs: AGENT_LIMITS.pingMs,
    onerror: (error) => logger.warn({ error: describeError(error) }, 'a request of an MCP client was refused'),
  });
}

/** Returns the tool's name, e.g. `ask_order_desk`: clients list the tools of many servers together. */
function toolNameOf(agentName: string): string {
  return `ask_${agentName.replaceAll('-', '_')}`;
}

/** Reports the steps of a turn, to clients that asked for it. */
async function reportProgress(run: AgentRun, { mcpReq }: ServerContext): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  let progress = 0;
  const seen = new Set<string>();
  for await (const frame of run) {
    const text = progressOf(frame);
    if (text === undefined || (frame.type === 'step' && frame.id !== undefined && seen.has(frame.id))) continue;
    if (frame.type === 'step' && frame.id !== undefined) seen.add(frame.id);
    progress++;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message: text } });
  }
}

function progressOf(frame: Frame): string | undefined {
  if (frame.type === 'step') return frame.step;
  return frame.type === 'status' ? frame.status : undefined;
}

/** True when the client shows forms to its person. The revisions of 2025 can't be asked without a session. */
function canAsk({ mcpReq }: ServerContext): boolean {
  return capableSchema.safeParse(mcpReq.envelope).success;
}

/** @throws `invalid` for a state that the server didn't make. */
function stateOf({ mcpReq }: ServerContext): z.infer<typeof stateSchema> | undefined {
  const text = mcpReq.requestState<string>();
  if (text === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw createError('invalid', 'requestState does not match. Call the tool again.', { cause });
  }
}

/** Returns what the person decided; a form that was declined is a refusal, one that was closed is none. */
function decisionsOf(keys: readonly string[], { mcpReq }: ServerContext): Map<string, boolean> {
  const decisions = new Map<string, boolean>();
  for (const key of keys) {
    const response = z
      .object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() })
      .safeParse(mcpReq.inputResponses?.[key]);
    if (!response.success || response.data.action === 'cancel') continue;
    const { action, content } = response.data;
    decisions.set(key, action === 'accept' && decisionSchema.safeParse(content).data?.approve === true);
  }
  return decisions;
}

/** Returns the result of a call whose person closed every form. */
function undecided(chat: string): CallToolResult {
  const text = `The person has not decided. Call this tool again with chat_id ${chat} when they have.`;
  return {
    content: [{ type: 'text', text }],
    structuredContent: { chat_id: chat, status: 'needs_approval', text: '', approvals: [] },
  };
}

function toToolResult({ chatId: chat, status, text, approvals, error }: RunResult): CallToolResult {
  const isWaiting = approvals.length > 0;
  const waiting = approvals.map(({ label }) => `- ${label}`).join('\n');
  const note = isWaiting
    ? `These calls wait until the person approves them in the agent's chat:\n${waiting}\nThen call this tool again with chat_id ${chat}.`
    : undefined;
  const shown = [error === undefined || text.includes(error) ? text : `${text}\n\n${error}`, note];
  return {
    ...(status === 'failed' && { isError: true }),
    content: [{ type: 'text', text: shown.filter(Boolean).join('\n\n') }],
    structuredContent: {
      chat_id: chat,
      status: isWaiting ? 'needs_approval' : status,
      text,
      approvals: approvals.map(({ tool, label, args }) => ({ tool, label, args })),
    },
  };
}

/** Returns why a turn could not start. Errors that the caller can't act on are logged, and it gets a reference. */
function explain(error: unknown, { logger }: ProtocolDeps): string {
  return BerthError.is(error) && error.code !== 'internal' ? error.message : logFailure(error, logger);
}
