import { connectToGoOn } from '@berth/agent-connectors';
import { type Component, type OfferedTools, type Tool, ToolError } from '@berth/agent-core';
import type { DecidedCall } from '../approvals/approvals.ts';
import type { ModelMessage } from '../models/model.ts';
import { type CallOptions, type CallResults, callKey } from './run-calls.ts';
import { runTool, stepResult, type ToolResult } from './run-tool.ts';
import { callId } from './step-messages.ts';

interface ApprovedResults extends CallResults<ModelMessage> {
  /** Results by `callKey`, for the same call later in the turn. */
  readonly done: ReadonlyMap<string, ToolResult>;
}

const REFUSED = 'The person refused this call. It was not run; do not try it again unless asked to.';
const GONE = 'Not run: this tool is not offered now.';
const CHANGED =
  'Not run: the tool has changed since the person approved the call. Call it again if it is still wanted.';

/**
 * Runs the calls of an earlier turn that the person approved, one after the other and each once, with the arguments that were shown
 * or that the person entered instead. The model is told of calls that were refused, or that a changed setting or tool now forbids.
 * Yields steps. The messages it returns stand before the message to answer.
 * @param keys of approvals sent with the message.
 */
export async function* runApproved(
  { tools, approvals, context, clock }: CallOptions,
  keys: readonly string[],
): AsyncGenerator<Component, ApprovedResults> {
  const messages: ModelMessage[] = [];
  const done = new Map<string, ToolResult>();
  const shown: Component[] = [];
  const connects = new Map<string, readonly Component[]>();
  for (const decided of await approvals.take(context.ownerKey, context.chatId, keys)) {
    const id = callId(`approved:${decided.callId}:${messages.length}`);
    const { tool, args } = decided;
    const connector = tools.find(tool)?.tool.connector;
    const problem = problemOf(decided, tools);
    if (decided.isApproved) {
      // The person may have edited the arguments.
      const step = (problem === undefined && tools.find(tool)?.tool.label(args)) || decided.label;
      yield { type: 'step', id, step, tool_name: tool, args, ...(connector && { connector }) };
    }
    const run = async (): Promise<ToolResult> => {
      const found = tools.find(tool);
      if (problem !== undefined || !found) return { text: problem ?? GONE, isError: true };
      const checked = unchanged(found.tool, decided.definitionHash);
      const result = await runTool(checked, args, { ...context, show: (component) => shown.push(component) }, clock);
      // A call that did not run needs a new approval.
      if (result.text !== CHANGED) done.set(callKey(tool, args), result);
      return result;
    };
    const { connect, ...result } = await run();
    if (connect) connects.set(connect.connector, connectToGoOn(connect));
    yield* shown.splice(0);
    if (decided.isApproved) yield { type: 'step', id, ok: !result.isError, result: stepResult(result.text) };
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_call', id, tool, args: JSON.stringify(args) }] },
      { role: 'tool', callId: id, tool, ...result },
    );
  }
  return { messages, done, questions: [...connects.values()].flat() };
}

function problemOf(decided: DecidedCall, tools: OfferedTools): string | undefined {
  if (!decided.isApproved) return REFUSED;
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
