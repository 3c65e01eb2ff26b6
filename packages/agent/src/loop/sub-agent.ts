import {
  type Component,
  defineTool,
  type HandlerContext,
  openSpan,
  type Tool,
  type ToolContext,
  ToolError,
} from '@berth/agent-core';
import { z } from 'zod';
import type { Model } from '../models/model.ts';
import { collectAnswer, isQuestion } from './collect-answer.ts';
import { type PreparedLoop, prepareLoop, runLoop } from './loop.ts';
import { CallSuspended, type FrameOptions, frameOf } from './loop-frame.ts';
import type { LoopOptions } from './loop-options.ts';

/** Options of {@link subAgent}: those of a loop, besides the tool that calls it. */
export interface SubAgentOptions<Input extends z.ZodType = z.ZodType<{ task: string }>>
  extends Omit<LoopOptions, 'model'> {
  /** Name of the tool, `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** For the calling model: what the sub-agent can do, and what it returns. */
  readonly description: string;
  /** The calling agent's model by default. */
  readonly model?: Model;
  /** A Zod object: what the calling model writes; `{ task }` by default. */
  readonly input?: Input;
  /** Returns the message that the sub-agent gets for an input; by default its `task`, else the input as JSON. */
  prompt?(input: z.output<Input>): string;
  /** Returns what a call does, for people; the name and the task by default. */
  label?(input: z.output<Input>): string;
  /** True: it may use the tools of the connectors that the person has connected. */
  readonly connectors?: boolean;
  /** A call that takes longer fails; 15 minutes by default. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15 * 60_000;
/** Most sub-agents inside each other, and runs of them in one turn. A model that delegates without end costs money without end. */
const MAX_DEPTH = 3;
const MAX_RUNS = 30;

const TASK = z.object({
  task: z
    .string()
    .min(1)
    .describe(
      'The task, with all the information that it needs: the sub-agent sees nothing else of this conversation.',
    ),
});

/**
 * Returns a tool that has its own agent answer: `tools: [subAgent({ name: 'researcher', description: '…', system, tools })]`. A call
 * is a conversation of its own in the turn of its caller. Its steps are shown with the call's step as their `parent`, its usage and
 * its budgets are the turn's, and stopping the turn stops it. A tool that asks for approval asks in the turn; the sub-agent goes
 * on when the person has decided. The result is its last answer, or `output` as JSON.
 * @throws RangeError as `loop` and `defineTool` do.
 */
export function subAgent<Input extends z.ZodType = typeof TASK>(options: SubAgentOptions<Input>): Tool {
  const { name, description, timeoutMs = TIMEOUT_MS } = options;
  const input = (options.input ?? TASK) as Input;
  const prompt = options.prompt ?? messageOf;
  const own: PreparedLoop = prepareLoop({
    ...(options as Partial<LoopOptions>),
    model: options.model ?? CALLERS_MODEL,
  });
  const tool = defineTool({
    name,
    description,
    risk: 'read',
    input,
    timeoutMs,
    label: options.label ?? ((given) => `${name}: ${messageOf(given)}`),
    async run(given, context) {
      const prepared = inherit(own, frameOf(context).options);
      // An error is on the span of the call. One that only asks the person is none.
      using span = openSpan(`invoke_agent ${name}`, {
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name },
      });
      const answer = () => run(prepared, prompt(given), context, options.connectors === true);
      return await (span ? span.run(answer) : answer());
    },
  });
  return { ...tool, ...(options.tools && { tools: options.tools }) };
}

/** Stands for the caller's model. */
const CALLERS_MODEL: Model = {
  name: 'caller',
  stream() {
    throw new TypeError("a sub-agent's model was asked before it was called");
  },
};

/** Returns the options of a call: what they leave open is the caller's, and a tool that the caller may not use is not used. */
function inherit(own: PreparedLoop, caller: FrameOptions): PreparedLoop {
  const { model, prices, isToolAllowed, ...rest } = own;
  const { maxTries, firstByteMs } = caller;
  return {
    ...(maxTries !== undefined && { maxTries }),
    ...(firstByteMs !== undefined && { firstByteMs }),
    ...rest,
    model: model === CALLERS_MODEL ? caller.model : model,
    prices: prices ?? caller.prices,
    isToolAllowed: async (tool, user) =>
      (await caller.isToolAllowed?.(tool, user)) !== false && (await isToolAllowed?.(tool, user)) !== false,
  };
}

function messageOf(input: unknown): string {
  const { task } = Object(input);
  return typeof task === 'string' ? task : JSON.stringify(input);
}

async function run(
  options: PreparedLoop,
  message: string,
  toolContext: ToolContext,
  hasConnectors: boolean,
): Promise<unknown> {
  const { scope, context, path, connected, suspended } = frameOf(toolContext);
  const { callId, signal, show } = toolContext;
  if (path.length >= MAX_DEPTH)
    throw new ToolError(`Sub-agents can be ${MAX_DEPTH} deep. Do this without another one.`);
  if (scope.subAgentRuns >= MAX_RUNS)
    throw new ToolError(`This turn has run ${MAX_RUNS} sub-agents. Go on without more.`);
  scope.subAgentRuns++;
  const own: HandlerContext = {
    ...context,
    messages: [{ role: 'user', content: message }],
    signal,
  };
  const entry = {
    scope,
    path: [...path, callId],
    connected: hasConnectors ? connected : undefined,
    ...(suspended && { suspended }),
  };
  const questions: Component[] = [];
  // Its words are not the caller's answer: the last of them are the result.
  const answer = collectAnswer();
  const items = runLoop(options, own, entry);
  for (;;) {
    const next = await items.next();
    if (next.done) {
      if (questions.length > 0) throw new CallSuspended(questions);
      if (next.value.output !== undefined) return next.value.output;
      return answer.text() || 'The sub-agent ended without an answer.';
    }
    const item = next.value;
    answer.add(item);
    if (isQuestion(item)) questions.push(item);
    else if (typeof item === 'object') showBelow(item, callId, show);
  }
}

/** Shows what a sub-agent yields besides its words. */
function showBelow(item: Component, callId: string, show: ToolContext['show']): void {
  if (item.type === 'step') show({ ...item, parent: item.parent ?? callId });
  // What it says in callouts is in its result.
  else if (item.type !== 'thinking' && item.type !== 'callout') show(item);
}
