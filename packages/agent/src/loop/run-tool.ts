import { randomBytes } from 'node:crypto';
import { type ConnectRequest, NotConnected } from '@berth/agent-connectors';
import {
  type Component,
  isContentCaptured,
  type OpenSpan,
  type Tool,
  type ToolContext,
  ToolError,
  withSpan,
} from '@berth/agent-core';
import { STEP_RESULT_CHARACTERS } from '@berth/contract/agent';
import { BerthError, type Clock, describeError, type Logger } from '@berth/kit';
import { CallSuspended } from './loop-frame.ts';

/** The result of a call, for the model. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The connection that the call needs, if it is missing. */
  readonly connect?: ConnectRequest;
  /** Cards of a call that waits for the person. */
  readonly questions?: readonly Component[];
}

/** The result of a call that waits for the person, for the model. */
export const WAITS = 'Not run: the person has to approve it first, and was asked.';

/** Longest result for the model; a longer one keeps its beginning and its end. */
const MAX_RESULT = 40_000;

/**
 * Runs one call in a span `execute_tool NAME`.
 * @throws the reason of the turn's signal.
 */
export async function runTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
  clock: Clock,
): Promise<ToolResult> {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.call.id': context.callId,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.description': tool.description,
    'berth.connector': tool.connector,
  };
  return await withSpan(`execute_tool ${tool.name}`, { attributes }, async (span) => {
    const isCaptured = span && isContentCaptured();
    if (isCaptured) span.set({ 'gen_ai.tool.call.arguments': JSON.stringify(args) });
    const result = await runOnce(tool, args, context, { clock, span });
    if (isCaptured) span.set({ 'gen_ai.tool.call.result': result.text });
    return result;
  });
}

/**
 * Runs one call, and logs it for the agent's developer: DEBUG lines are written in development only. The turn doesn't wait for a
 * tool that ignores its signal.
 * @throws the reason of the turn's signal.
 */
async function runOnce(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
  { clock, span }: { readonly clock: Clock; readonly span: OpenSpan | undefined },
): Promise<ToolResult> {
  const { signal, log } = context;
  signal.throwIfAborted();
  const startMs = clock.monotonicMs();
  const logged = (result: ToolResult): ToolResult => {
    const line = { event: 'tool', tool: tool.name, args, ok: !result.isError, result: stepResult(result.text) };
    log.debug({ ...line, duration_ms: Math.round(clock.monotonicMs() - startMs) }, `tool ${tool.name}`);
    return result;
  };
  const limit = new AbortController();
  const timer = clock.setTimer(tool.timeoutMs, () =>
    limit.abort(new ToolError(`Stopped after ${tool.timeoutMs / 1_000} s.`)),
  );
  const both = AbortSignal.any([signal, limit.signal]);
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(both.reason);
  both.addEventListener('abort', onAbort, { once: true });
  try {
    const work = (async () => tool.run(args, { ...context, signal: both }))();
    work.catch(() => {});
    return logged({ text: shorten(toText(await Promise.race([work, ended.promise])), MAX_RESULT), isError: false });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof CallSuspended) return { text: WAITS, isError: true, questions: error.questions };
    const told = limit.signal.aborted ? limit.signal.reason : error;
    span?.fail(told);
    return logged({
      text: shorten(sayError(tool, told, log), MAX_RESULT),
      isError: true,
      ...(error instanceof NotConnected && { connect: error.request }),
    });
  } finally {
    timer.cancel();
    both.removeEventListener('abort', onAbort);
    ended.promise.catch(() => {});
  }
}

/** Returns a result as a step shows it. */
export function stepResult(text: string): string {
  return shorten(text, STEP_RESULT_CHARACTERS);
}

function sayError(tool: Tool, error: unknown, log: Logger): string {
  if (error instanceof ToolError || BerthError.is(error)) return error.message;
  const id = randomBytes(4).toString('hex');
  log.error({ tool: tool.name, error_id: id, error: describeError(error) }, `a tool failed, reference ${id}`);
  return `The tool failed (${id}).`;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? 'Done.' : (JSON.stringify(value) ?? 'Done.');
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const note = `\n[… ${text.length - max} characters left out …]\n`;
  const half = Math.floor((max - note.length) / 2);
  // A cut may leave half of a surrogate pair.
  return `${text.slice(0, half)}${note}${text.slice(text.length - half)}`.toWellFormed();
}
