import type { Event, EventType, Interrupt } from '@ag-ui/core';
import type { ComponentFrame, Frame, StepFrame } from '@berth/contract/agent';
import { createFlattener } from '../../completions/create-flattener.ts';
import { isComponent } from '../../runs/live-run.ts';
import type { RunResult } from '../../turns/agent-run.ts';

/** The enumeration of the SDK, which is loaded only for agents with the option. */
type EventTypes = typeof EventType;

export interface EventMapperOptions {
  readonly types: EventTypes;
  readonly threadId: string;
  readonly runId: string;
  /** Ids of tool calls that the client has from earlier runs. Only their results are sent. */
  readonly knownCalls: ReadonlySet<string>;
}

/** A message or a span of reasoning that is being written. */
interface OpenPart {
  readonly type: 'text' | 'thinking';
  readonly messageId: string;
}

/** State of a step known to the client. */
interface OpenStep {
  readonly kind: 'call' | 'step';
  readonly name: string;
  readonly parent: string | undefined;
  /** True until the end of the call's arguments, or of the step, was sent. */
  isOpen: boolean;
  hasArgs?: boolean;
}

/**
 * Creates a converter of a turn's frames to AG-UI events. Text and components become messages in Markdown, thinking becomes reasoning, tool calls
 * become tool calls with their results, and steps of sub-agents carry the sub-agent's id. All other frames become `CUSTOM` events
 * that are named after the frame's type. Source: the AG-UI specification 1.0, "Events".
 */
export function createEventMapper({ types, threadId, runId, knownCalls }: EventMapperOptions) {
  const flattener = createFlattener();
  const steps = new Map<string, OpenStep>();
  /** Sub-agents by the id of the step that called them; true while they run. */
  const subAgents = new Map<string, boolean>();
  const interrupts: Interrupt[] = [];
  let open: OpenPart | undefined;
  let parts = 0;

  const close = (): Event[] => {
    if (!open) return [];
    const { type, messageId } = open;
    open = undefined;
    return type === 'text'
      ? [{ type: types.TEXT_MESSAGE_END, messageId }]
      : [
          { type: types.REASONING_MESSAGE_END, messageId },
          { type: types.REASONING_END, messageId },
        ];
  };
  const begin = (type: OpenPart['type']): Event[] => {
    if (open?.type === type) return [];
    const events = close();
    const messageId = `${runId}-${++parts}`;
    open = { type, messageId };
    if (type === 'text') return [...events, { type: types.TEXT_MESSAGE_START, messageId, role: 'assistant' }];
    events.push({ type: types.REASONING_START, messageId });
    return [...events, { type: types.REASONING_MESSAGE_START, messageId, role: 'reasoning' }];
  };
  const say = (text: string): Event[] => {
    // The flattener separates parts by blank lines, also where a new message begins.
    const delta = open?.type === 'text' ? text : text.replace(/^\n+/, '');
    if (delta === '') return [];
    const events = begin('text');
    return [...events, { type: types.TEXT_MESSAGE_CONTENT, messageId: (open as OpenPart).messageId, delta }];
  };
  const think = (delta: string): Event[] => {
    if (delta === '') return [];
    const events = begin('thinking');
    return [...events, { type: types.REASONING_MESSAGE_CONTENT, messageId: (open as OpenPart).messageId, delta }];
  };

  /** Starts the sub-agent that a step belongs to, and those above it. */
  const enter = (parent: string | undefined): Event[] => {
    if (parent === undefined || subAgents.has(parent)) return [];
    const step = steps.get(parent);
    const events = enter(step?.parent);
    subAgents.set(parent, true);
    return [
      ...events,
      {
        type: types.SUBAGENT_STARTED,
        subagentRunId: parent,
        name: step?.name ?? 'sub-agent',
        ...(step?.kind === 'call' && { parentToolCallId: parent }),
        ...(step?.parent !== undefined && { parentSubagentRunId: step.parent }),
      },
    ];
  };
  /** Ends the sub-agent of a step. Those that wait for a person are suspended. */
  const leave = (id: string): Event[] => {
    if (!subAgents.get(id)) return [];
    subAgents.set(id, false);
    const own = interrupts.filter(({ subagentRunId }) => subagentRunId === id);
    return [
      {
        type: types.SUBAGENT_FINISHED,
        subagentRunId: id,
        ...(own.length > 0 && { outcome: { type: 'suspended', interruptIds: own.map((one) => one.id) } }),
      },
    ];
  };

  const of = (parent: string | undefined) => (parent === undefined ? {} : { subagentRunId: parent });
  const endStep = (id: string, step: OpenStep): Event[] => {
    if (!step.isOpen) return [];
    step.isOpen = false;
    return step.kind === 'call'
      ? [{ type: types.TOOL_CALL_END, toolCallId: id, ...of(step.parent) }]
      : [{ type: types.STEP_FINISHED, stepName: step.name, ...of(step.parent) }];
  };
  const startStep = (id: string, { tool_name: tool, step: label, parent }: StepFrame): Event[] => {
    const isTaken = (name: string) =>
      [...steps.values()].some((one) => one.isOpen && one.kind === 'step' && one.name === name);
    const stepName = label ?? 'step';
    const name = tool ?? (isTaken(stepName) ? `${stepName} (${id})` : stepName);
    // A call of an earlier run, which goes on: the client has it with its arguments.
    const isKnown = knownCalls.has(id);
    steps.set(id, { kind: tool === undefined && !isKnown ? 'step' : 'call', name, parent, isOpen: !isKnown });
    if (isKnown) return [];
    const events = [...close(), ...enter(parent)];
    if (tool === undefined) return [...events, { type: types.STEP_STARTED, stepName: name, ...of(parent) }];
    return [...events, { type: types.TOOL_CALL_START, toolCallId: id, toolCallName: tool, ...of(parent) }];
  };
  const addArgs = (id: string, delta: string | undefined): Event[] => {
    const step = steps.get(id);
    if (!step?.isOpen || step.kind !== 'call' || !delta) return [];
    step.hasArgs = true;
    return [{ type: types.TOOL_CALL_ARGS, toolCallId: id, delta, ...of(step.parent) }];
  };
  const stepEvents = (frame: StepFrame): Event[] => {
    const { id = `${runId}-step-${++parts}`, args, ok, pending, result = '' } = frame;
    const isNew = !steps.has(id);
    const events = isNew ? startStep(id, frame) : [];
    const step = steps.get(id) as OpenStep;
    // Whole arguments repeat those that came piece by piece.
    if (!step.hasArgs) events.push(...addArgs(id, args));
    if (ok === undefined && pending !== true && frame.id !== undefined) return events;
    // One that waits is left at the end, when its questions are known.
    if (ok !== undefined) events.push(...leave(id));
    events.push(...endStep(id, step));
    if (ok === undefined || step.kind === 'step') return events;
    const [toolCallId, messageId] = [id, `${id}-result`];
    const isFailed = ok ? {} : { metadata: { isError: true } };
    return [
      ...events,
      {
        type: types.TOOL_CALL_RESULT,
        messageId,
        toolCallId,
        content: result,
        role: 'tool',
        ...of(step.parent),
        ...isFailed,
      },
    ];
  };
  const interruptOf = (frame: Extract<Frame, { readonly type: 'ui' }>): Interrupt => {
    const { id, key, label, tool, args, risk } = frame;
    const toolCallId = typeof id === 'string' ? id : undefined;
    const parent = toolCallId === undefined ? undefined : steps.get(toolCallId)?.parent;
    return {
      id: String(key),
      reason: 'tool_call',
      message: String(label),
      ...(toolCallId !== undefined && { toolCallId }),
      ...of(parent !== undefined && subAgents.has(parent) ? parent : undefined),
      responseSchema: { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] },
      metadata: { tool, args, ...(risk !== undefined && { risk }) },
    };
  };
  const componentEvents = (frame: ComponentFrame): Event[] => {
    const text = say(flattener.add(frame));
    switch (frame.type) {
      case 'thinking':
        return [...text, ...think(frame.thinking)];
      case 'step':
        return [...text, ...stepEvents(frame)];
      case 'step_arg':
        return [...text, ...addArgs(frame.id, frame.delta)];
      case 'text':
      case 'code':
      case 'table':
      case 'callout':
      case 'image':
        return text;
      default:
        return [...text, { type: types.CUSTOM, name: (frame as { readonly type: string }).type, value: frame }];
    }
  };

  return {
    /** The first event of the run. */
    start: (): Event => ({ type: types.RUN_STARTED, threadId, runId }),
    /** Returns the events of a frame. */
    add(frame: Frame): Event[] {
      if (frame.type === 'chat_id' || frame.type === 'ping') return [];
      if (frame.type !== 'ui') return isComponent(frame) ? componentEvents(frame) : [];
      if (frame.action === 'confirm') interrupts.push(interruptOf(frame));
      return [{ type: types.CUSTOM, name: 'ui', value: frame }];
    },
    /** Returns the last events of the run. */
    end({ status, usage, error }: Pick<RunResult, 'status' | 'usage' | 'error'>): Event[] {
      const events = [...say(flattener.end()), ...close()];
      for (const [id, step] of [...steps].reverse()) events.push(...leave(id), ...endStep(id, step));
      for (const id of subAgents.keys()) events.push(...leave(id));
      const used = { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
      const counted = usage.calls > 0 ? { usage: [used] } : {};
      if (status === 'failed' || status === 'interrupted') {
        const message = error ?? 'The turn was interrupted. Send the message again.';
        return [...events, { type: types.RUN_ERROR, message, code: status, ...counted }];
      }
      const finished = { type: types.RUN_FINISHED, threadId, runId, ...counted } as const;
      if (status === 'stopped') return [...events, { ...finished, outcome: { type: 'cancelled' } }];
      if (interrupts.length > 0) return [...events, { ...finished, outcome: { type: 'interrupt', interrupts } }];
      return [...events, { ...finished, outcome: { type: 'success' } }];
    },
    /** Returns the events of a run that could not start. */
    fail: (message: string, code: string): Event[] => [{ type: types.RUN_ERROR, message, code }],
  };
}
