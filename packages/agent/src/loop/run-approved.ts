import { connectToGoOn } from '@berth/agent-connectors';
import {
  type Component,
  isRepeatable,
  type OfferedTools,
  openSpan,
  type Tool,
  type ToolContext,
  ToolError,
  withSpan,
} from '@berth/agent-core';
import type { Part, StepFrame } from '@berth/contract/agent';
import type { DecidedCall } from '../approvals/approvals.ts';
import type { ModelMessage } from '../models/model.ts';
import { parseToolArguments } from '../models/tool-arguments.ts';
import { type LoopFrame, parsePath, partsBelow, pathText, withFrame } from './loop-frame.ts';
import { approvalSpan, type CallOptions, type CallResults, callKey, createAsyncQueue, withSaved } from './run-calls.ts';
import { runTool, stepResult, type ToolResult } from './run-tool.ts';
import { argsText, callId } from './step-messages.ts';

interface ApprovedResults extends CallResults<ModelMessage> {
  /** Results of calls of the answer that goes on, by their steps' ids; `messages` has those of the others. */
  readonly resultOf: ReadonlyMap<string, ToolResult>;
  /** Results by `callKey`, for the same call later in the turn. */
  readonly done: ReadonlyMap<string, ToolResult>;
}

/** A call to run, or to say why not. */
interface ApprovedCall {
  readonly stepId: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly label: string;
  /** Why the call must not run. */
  readonly problem?: string | undefined;
  run(show: ToolContext['show'], frame: LoopFrame): Promise<ToolResult>;
}

const REFUSED = 'The person refused this call. It was not run; do not try it again unless asked to.';
const refused = (reason?: string) => (reason === undefined ? REFUSED : `${REFUSED} Their reason: ${reason}`);
const GONE = 'Not run: this tool is not offered now.';
const CHANGED =
  'Not run: the tool has changed since the person approved the call. Call it again if it is still wanted.';

/**
 * Runs the calls of an earlier turn that the person approved, one after the other and each once, with the arguments that were shown
 * or that the person entered instead. A sub-agent that waited for a decision goes on where it was. The model is told of calls that
 * were refused, or that a changed setting or tool now forbids. Yields steps, each with the id of the step that waited for the
 * decision, which it replaces. The messages it returns stand before the message to answer.
 * @param decided calls of this loop, and of sub-agents below it.
 * @param parts of the loop's earlier answers.
 * @param steps ids of the calls of the answer that goes on.
 */
export async function* runApproved(
  options: CallOptions,
  decided: readonly DecidedCall[],
  parts: readonly Part[],
  steps: ReadonlySet<string>,
): AsyncGenerator<Component, ApprovedResults> {
  const { tools } = options;
  const messages: ModelMessage[] = [];
  const done = new Map<string, ToolResult>();
  const resultOf = new Map<string, ToolResult>();
  const questions: Component[] = [];
  const connects = new Map<string, readonly Component[]>();
  for (const { stepId, tool, args, label, problem, run } of callsOf(options, decided, parts)) {
    const found = tools.find(tool)?.tool;
    const connector = found?.connector;
    const isStarted = problem === undefined && found !== undefined && !isRepeatable(found);
    const given = { tool_name: tool, args: JSON.stringify(args), ...(connector && { connector }) };
    yield { type: 'step', id: stepId, step: label, ...given, pending: false, ...(isStarted && { started: true }) };
    // After a crash, the record must say that the call may have run.
    if (isStarted) await options.frame.context.saved();
    if (problem?.startsWith(REFUSED)) openSpan(`approval ${tool}`, approvalSpan('denied', stepId, tool))?.end();
    const refusal: ToolResult | undefined = problem === undefined ? undefined : { text: problem, isError: true };
    const { connect, questions: asked = [], ...result } = refusal ?? (yield* showing(run, options.frame));
    questions.push(...asked);
    if (connect) connects.set(connect.connector, connectToGoOn(connect));
    // A call that did not run needs a new approval.
    const hasRun = !refusal && result.text !== CHANGED && asked.length === 0;
    if (hasRun) done.set(callKey(tool, args), result);
    if (asked.length > 0) yield { type: 'step', id: stepId, pending: true };
    else yield { type: 'step', id: stepId, ok: !result.isError, result: stepResult(result.text) };
    if (steps.has(stepId)) {
      resultOf.set(stepId, result);
      continue;
    }
    const id = callId(`approved:${stepId}:${messages.length}`);
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_call', id, tool, args: JSON.stringify(args) }] },
      { role: 'tool', callId: id, tool, ...result },
    );
  }
  return { messages, resultOf, done, questions: [...questions, ...[...connects.values()].flat()] };
}

/** Yields the calls of this loop that were decided on, then those whose sub-agents wait for a decision. */
function* callsOf(
  options: CallOptions,
  decided: readonly DecidedCall[],
  parts: readonly Part[],
): Generator<ApprovedCall> {
  const below = new Map<string, DecidedCall[]>();
  for (const one of decided) {
    const [stepId = '', ...path] = parsePath(one.callId);
    if (path.length === 0) yield ownCall(options, one, stepId);
    else below.set(stepId, [...(below.get(stepId) ?? []), { ...one, callId: pathText(path) }]);
  }
  for (const [stepId, calls] of below) {
    const step = parts.findLast((part): part is StepFrame => part.type === 'step' && part.id === stepId);
    if (step?.tool_name !== undefined)
      yield resumedCall(options, step, { decided: calls, parts: partsBelow(parts, stepId) });
  }
}

function ownCall({ tools, context, clock }: CallOptions, decided: DecidedCall, stepId: string): ApprovedCall {
  const { tool, args } = decided;
  const found = tools.find(tool)?.tool;
  const problem = problemOf(decided, tools);
  return {
    stepId,
    tool,
    args,
    // The person may have edited the arguments.
    label: (problem === undefined && found?.label(args)) || decided.label,
    problem: found ? problem : (problem ?? GONE),
    async run(show, frame) {
      if (!found) throw new ToolError(GONE);
      const own = withFrame({ ...context, callId: stepId, show }, frame);
      return withSpan(`approval ${tool}`, approvalSpan('approved', stepId, tool), () =>
        runTool(unchanged(found, decided.definitionHash), args, own, clock),
      );
    },
  };
}

function resumedCall(
  { tools, context, clock }: CallOptions,
  step: StepFrame,
  suspended: NonNullable<CallOptions['frame']['suspended']>,
): ApprovedCall {
  const { id: stepId = '', tool_name: tool = '' } = step;
  const found = tools.find(tool)?.tool;
  const args = parseToolArguments(argsText(step)) ?? {};
  return {
    stepId,
    tool,
    args,
    label: found?.label(args) ?? step.step ?? tool,
    problem: found ? undefined : GONE,
    async run(show, frame) {
      if (!found) throw new ToolError(GONE);
      return runTool(found, args, withFrame({ ...context, callId: stepId, show }, { ...frame, suspended }), clock);
    },
  };
}

/** Yields what a call shows while it runs, and returns its result. */
async function* showing(run: ApprovedCall['run'], frame: LoopFrame): AsyncGenerator<Component, ToolResult> {
  const queue = createAsyncQueue<Component>();
  const work = run((component) => queue.put(component), withSaved(frame, queue)).finally(() => queue.end());
  work.catch(() => {});
  for await (const component of queue) yield component;
  return await work;
}

function problemOf(decided: DecidedCall, tools: OfferedTools): string | undefined {
  if (!decided.isApproved) return refused(decided.reason);
  const found = tools.find(decided.tool);
  if (!found) return GONE;
  // For a tool defined elsewhere, the check happens when it runs.
  const isSame = found.tool.currentHash !== undefined || found.tool.definitionHash === decided.definitionHash;
  if (!isSame) return CHANGED;
  const wrong = found.tool.check(decided.args);
  return wrong === undefined ? undefined : `Not run: the arguments that the person gave are wrong. ${wrong}`;
}

/** Wraps a tool so that a call fails if its definition at its origin has changed. */
function unchanged(tool: Tool, hash: string): Tool {
  if (!tool.currentHash) return tool;
  return {
    ...tool,
    async run(args, context) {
      if ((await tool.currentHash?.(context)) !== hash) throw new ToolError(CHANGED);
      return await tool.run(args, context);
    },
  };
}
