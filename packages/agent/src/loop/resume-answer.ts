import { type Component, isRepeatable, type ResumedTurn } from '@berth/agent-core';
import type { Part, StepFrame } from '@berth/contract/agent';
import type { ModelMessage } from '../models/model.ts';
import { parseToolArguments } from '../models/tool-arguments.ts';
import type { ModelCall } from './ask-model.ts';
import { parsePath } from './loop-frame.ts';
import { type CallOptions, type CallResults, confirmCard, runCalls } from './run-calls.ts';
import { stepResult, type ToolResult } from './run-tool.ts';
import { argsText, stepMessages } from './step-messages.ts';

/** The answer so far as messages for the model, or cards that ask the person first. */
export interface ResumedAnswer extends CallResults<ModelMessage> {
  /** True when calls of the answer wait for a person, also when their cards were shown before. */
  readonly isWaiting: boolean;
}

const MAY_HAVE_RUN =
  'It is not known whether this ran: the process ended while it did. Find out before you call it again.';
const CUT_OFF = 'Not run: you were cut off while you wrote this call. Call it again if it is still wanted.';

const NOTES = {
  restart:
    'The process that wrote your answer above ended before it was complete. Go on where it stops, and do not repeat what is there.',
  decision: 'The person decided on the calls above. Go on with your answer.',
  connection:
    'The person has connected what the calls above needed. Make these calls again, and go on with your answer.',
} as const;

/**
 * Takes up an answer where it stopped. Calls with a result are not run again. A call without one runs again when that is harmless,
 * or when it had not begun; of any other the model is told that it may have run. Yields the steps' ends.
 * @param results of calls that have run since, by the steps' ids.
 */
export async function* resumeAnswer(
  { parts, reason }: ResumedTurn,
  results: ReadonlyMap<string, ToolResult>,
  calls: CallOptions,
): AsyncGenerator<string | Component, ResumedAnswer> {
  const { path } = calls.frame;
  const own = ownParts(parts, path.at(-1));
  const ended = new Map(results);
  const open: ModelCall[] = [];
  for (const part of own) {
    if (part.type !== 'step' || part.id === undefined || part.tool_name === undefined) continue;
    if (part.ok !== undefined || part.pending || ended.has(part.id)) continue;
    const { id, tool_name: tool } = part;
    const text = whyNotRun(part, calls);
    if (text === undefined) {
      open.push({ type: 'tool_call', id, tool, args: argsText(part) });
      continue;
    }
    ended.set(id, { text, isError: true });
    yield { type: 'step', id, ok: false, result: stepResult(text) };
  }
  const rerun = yield* runCalls(open, { ...calls, parts }, new Map());
  for (const { callId, text, isError } of rerun.messages) ended.set(callId, { text, isError });
  const waiting = yield* showWaiting(own, parts, calls);
  if (waiting || rerun.questions.length > 0) return { messages: [], questions: rerun.questions, isWaiting: true };
  // Whatever comes next must not run into text that was cut off.
  if (reason === 'restart' && path.length === 0 && parts.at(-1)?.type === 'text') yield '\n\n';
  const messages = stepMessages(
    own.map((part) => withResult(part, ended)),
    'resumed',
  );
  return {
    messages: [...messages, { role: 'user', content: [{ type: 'text', text: `[${NOTES[reason]}]` }] }],
    questions: [],
    isWaiting: false,
  };
}

/** Returns why an unfinished call is not run again; undefined when it is. */
function whyNotRun(step: StepFrame, { tools }: CallOptions): string | undefined {
  const args = argsText(step);
  const tool = tools.find(step.tool_name ?? '')?.tool;
  if (step.started && !(tool && isRepeatable(tool))) return MAY_HAVE_RUN;
  // Empty arguments may be the beginning of others.
  const isComplete = args.trim() !== '' && parseToolArguments(args) !== undefined;
  return isComplete || step.started ? undefined : CUT_OFF;
}

function withResult(part: Part, results: ReadonlyMap<string, ToolResult>): Part {
  if (part.type !== 'step' || part.id === undefined) return part;
  const result = results.get(part.id);
  return result ? { ...part, ok: !result.isError, result: result.text } : part;
}

/** Returns what a loop itself has said and done, as a conversation of its own has it. */
function ownParts(parts: readonly Part[], parent: string | undefined): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    if (part.type !== 'step') return parent === undefined ? [part] : [];
    if (part.parent !== parent) return [];
    const { parent: _, ...own } = part;
    return [own];
  });
}

/** Yields the cards of calls that still wait and were not shown. Returns true when any call waits. */
async function* showWaiting(
  own: readonly Part[],
  parts: readonly Part[],
  { approvals, context: { ownerKey, chatId }, frame: { path }, tools }: CallOptions,
): AsyncGenerator<Component, boolean> {
  const pending = new Set(own.flatMap((part) => (part.type === 'step' && part.pending ? [part.id] : [])));
  if (pending.size === 0) return false;
  const shown = new Set(parts.flatMap((part) => (part.type === 'card' ? [part.card['key']] : [])));
  let isWaiting = false;
  for (const { key, callId, tool, label, args } of await approvals.waiting(ownerKey, chatId)) {
    const ids = parsePath(callId);
    const isOwn = path.every((id, index) => ids[index] === id) && pending.has(ids[path.length]);
    if (!isOwn) continue;
    isWaiting = true;
    const { risk = 'destructive', connector } = tools.find(tool)?.tool ?? {};
    const asked = { name: tool, risk, ...(connector !== undefined && { connector }) };
    if (!shown.has(key)) yield confirmCard({ id: ids.at(-1) ?? callId, key, tool: asked, label, args });
  }
  return isWaiting;
}
