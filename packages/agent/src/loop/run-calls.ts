import { connectToGoOn } from '@berth/agent-connectors';
import {
  type Component,
  canonicalJson,
  isRepeatable,
  type OfferedTools,
  type Tool,
  type ToolContext,
  withSpan,
} from '@berth/agent-core';
import type { Part, StepFrame, UiFrame } from '@berth/contract/agent';
import { type Clock, createLimiter } from '@berth/kit';
import type { Approvals } from '../approvals/approvals.ts';
import type { ToolMessage } from '../models/model.ts';
import { parseToolArguments } from '../models/tool-arguments.ts';
import type { ModelCall } from './ask-model.ts';
import { type LoopFrame, partsBelow, pathText, withFrame } from './loop-frame.ts';
import { runTool, stepResult, type ToolResult, WAITS } from './run-tool.ts';

/** Dependencies of the calls of a turn. */
export interface CallOptions {
  readonly tools: OfferedTools;
  readonly approvals: Approvals;
  /** Without what each call has of its own. */
  readonly context: Omit<ToolContext, 'show' | 'callId'>;
  readonly frame: LoopFrame;
  readonly clock: Clock;
  /** Most read-only calls that run at once; 8 by default. */
  readonly maxParallel?: number | undefined;
  /** Parts of the answer that goes on: a sub-agent among the calls goes on with the steps below it. */
  readonly parts?: readonly Part[];
}

/** Results of calls: messages for the model, and cards asking the person to approve or to connect. */
export interface CallResults<Message> {
  readonly messages: readonly Message[];
  readonly questions: readonly Component[];
}

/** Read-only calls that run in parallel. */
const MAX_READS = 8;

/**
 * Runs the calls of an answer: read-only calls in parallel, others one after the other in order, in the whole turn. A call that needs approval does
 * not run; it becomes a question. Yields what is shown meanwhile, and returns one message for each call, in order.
 * @param done results of approved calls that ran in this turn, by `callKey`.
 * @throws the reason of the turn's signal, after all steps were closed.
 */
export async function* runCalls(
  calls: readonly ModelCall[],
  { tools, approvals, context, frame, clock, maxParallel = MAX_READS, parts = [] }: CallOptions,
  done: ReadonlyMap<string, ToolResult>,
): AsyncGenerator<Component, CallResults<ToolMessage>> {
  const { signal } = context;
  const queue = createAsyncQueue<Component>();
  const reads = createLimiter({ concurrency: maxParallel });
  const open = new Set(calls.map(({ id }) => id));
  const questions = new Map<string, readonly Component[]>();
  const connects = new Map<string, readonly Component[]>();

  const asking: Promise<string>[] = [];
  /** Open steps of sub-agents, with the call that each belongs to. */
  const below = new Map<string, string>();
  const show = (callId: string, component: Component) => {
    if (component.type === 'step' && component.id !== undefined && component.parent !== undefined) {
      // A step that waits for a person stays open.
      if (component.ok === undefined && component.pending !== true) below.set(component.id, callId);
      else below.delete(component.id);
    }
    queue.put(component);
  };
  const close = (id: string, { text, isError }: ToolResult) => {
    open.delete(id);
    for (const [step, callId] of below) {
      if (callId === id && below.delete(step)) queue.put(unended(step));
    }
    if (questions.has(id)) queue.put({ type: 'step', id, pending: true });
    else queue.put({ type: 'step', id, ok: !isError, result: stepResult(text) });
  };

  const runOne = async (call: ModelCall): Promise<ToolResult> => {
    const offered = tools.find(call.tool);
    if (!offered)
      return fail(`Tool "${call.tool}" doesn't exist. Available tools: ${tools.names.join(', ') || 'none'}.`);
    const { tool, decision } = offered;
    const args = parseToolArguments(call.args);
    const problem = args ? tool.check(args) : 'The arguments are not a JSON object.';
    if (!args || problem !== undefined) return fail(`The arguments are invalid. ${problem}`);
    const label = tool.label(args);
    const { connector } = tool;
    queue.put({ type: 'step', id: call.id, step: label, ...(connector && { connector }) });
    const before = done.get(callKey(tool.name, args));
    if (before) return before;
    if (decision === 'ask') {
      const callId = pathText([...frame.path, call.id]);
      const asked = withSpan(`approval ${tool.name}`, approvalSpan('asked', call.id, tool.name), () =>
        approvals.ask(frame.context, { callId, tool, args, label }),
      );
      asking.push(asked);
      const key = await asked;
      questions.set(call.id, [confirmCard({ id: call.id, key, tool, label, args })]);
      return fail(WAITS);
    }
    const own = { ...context, callId: call.id, show: (component: Component) => show(call.id, component) };
    const made = partsBelow(parts, call.id);
    const inner: LoopFrame = {
      ...withSaved(frame, queue),
      ...(made.length > 0 && { suspended: { parts: made, decided: [] } }),
    };
    const run = async () => {
      if (!isRepeatable(tool)) {
        // After a crash, the record must say that the call may have run.
        queue.put({ type: 'step', id: call.id, started: true });
        await inner.context.saved();
      }
      return await runTool(tool, args, withFrame(own, inner), clock);
    };
    return await (tool.risk === 'read' ? reads : frame.scope.changes).run(run);
  };

  const work = Promise.all(
    calls.map(async (call) => {
      const { connect, questions: asked, ...result } = await runOne(call);
      if (asked) questions.set(call.id, asked);
      if (connect) connects.set(connect.connector, connectToGoOn(connect));
      close(call.id, result);
      return { role: 'tool', callId: call.id, tool: call.tool, ...result } satisfies ToolMessage;
    }),
  ).finally(() => queue.end());
  work.catch(() => {});

  for await (const component of queue) yield component;
  try {
    const messages = await work;
    return {
      messages,
      questions: [...calls.flatMap(({ id }) => questions.get(id) ?? []), ...[...connects.values()].flat()],
    };
  } catch (error) {
    if (signal.aborted) {
      // A question may be stored whose key is still on its way.
      await Promise.allSettled(asking);
      const keys = [...questions.values()].flat().flatMap((card) => ('key' in card ? [String(card.key)] : []));
      await approvals.withdraw(context.ownerKey, context.chatId, keys);
      for (const id of [...open, ...below.keys(), ...questions.keys()]) yield unended(id);
    }
    throw error;
  }
}

interface AskedStep {
  /** The id of the call's step, which waits. */
  readonly id: string;
  readonly key: string;
  readonly tool: Pick<Tool, 'name' | 'risk' | 'connector'>;
  readonly label: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Returns the card that asks the person to approve a call. Source: docs/contract/agent-api.md §2, the `ui` action `confirm`. */
export function confirmCard({ id, key, tool: { name, risk, connector }, label, args }: AskedStep): UiFrame {
  const call = { id, key, tool: name, tool_name: name, step: label, label, args, risk };
  return { type: 'ui', action: 'confirm', ...call, ...(connector && { connector }) };
}

/** Returns a key that is equal for equal calls: the tool and its canonical arguments. */
export function callKey(tool: string, args: Readonly<Record<string, unknown>>): string {
  return canonicalJson([tool, args]);
}

/** Returns how an approval appears in traces: where it was asked, and again where its decision took effect. */
export function approvalSpan(state: 'asked' | 'approved' | 'denied', callId: string, tool: string) {
  const attributes = { 'berth.approval.state': state, 'gen_ai.tool.call.id': callId, 'gen_ai.tool.name': tool };
  return { attributes };
}

function unended(id: string): StepFrame {
  return { type: 'step', id, pending: false, ok: false, result: 'Stopped before it ended.' };
}

function fail(text: string): ToolResult {
  return { text, isError: true };
}

/** Returns the frame for calls whose steps go through a queue: they are saved once the queue's reader has passed them on. */
export function withSaved(frame: LoopFrame, queue: { taken(): Promise<void> }): LoopFrame {
  const { context } = frame;
  const saved = async () => {
    await queue.taken();
    await context.saved();
  };
  return { ...frame, context: { ...context, saved } };
}

/** Creates an empty queue with several writers and one reader. */
export function createAsyncQueue<Item>() {
  let items: Item[] = [];
  let isEnded = false;
  /** True while the reader waits, and so has passed on all items. */
  let isIdle = false;
  let wake = Promise.withResolvers<void>();
  let emptied = Promise.withResolvers<void>();
  return {
    put(item: Item): void {
      items.push(item);
      isIdle = false;
      wake.resolve();
    },
    /** Resolves when the reader has passed on everything that was put before. */
    async taken(): Promise<void> {
      if (!isIdle) await emptied.promise;
    },
    /** Ends the queue; the reader still gets the remaining items. */
    end(): void {
      isEnded = true;
      wake.resolve();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
      for (;;) {
        const ready = items;
        items = [];
        yield* ready;
        if (items.length > 0) continue;
        isIdle = true;
        emptied.resolve();
        emptied = Promise.withResolvers();
        if (isEnded) return;
        await wake.promise;
        wake = Promise.withResolvers();
      }
    },
  };
}
