import type { NewMessage } from '@berth/agent-store';
import { flattenParts, jsonText, type Part, type StepFrame } from '@berth/contract/agent';
import type { EndedRun } from '../runs/run-engine.ts';

/** The result of a step that was in progress when its turn ended, by the turn's status. */
const UNFINISHED: Readonly<Record<EndedRun['status'], string>> = {
  done: 'This did not end.',
  stopped: 'The person stopped the turn before this ended.',
  interrupted: 'The turn was cut off before this ended.',
  failed: 'The turn failed before this ended.',
};

/** Returns the messages that a turn leaves in its chat: one of the assistant, or none if it said nothing. */
export function turnMessages({ runId, status, parts }: Omit<EndedRun, 'chatId'>): NewMessage[] {
  if (parts.length === 0) return [];
  const closed = parts.map((part) =>
    isUnfinished(part) ? { ...part, ...closedArgs(part), ok: false, result: part.result ?? UNFINISHED[status] } : part,
  );
  return [
    {
      role: 'assistant',
      content: flattenParts(closed),
      parts: closed,
      runId,
      ...(status === 'done' ? {} : { status }),
    },
  ];
}

/** Only a tool's step, which has an id, can be unfinished. One that waits for approval is not. */
function isUnfinished(part: Part): part is StepFrame {
  return part.type === 'step' && part.ok === undefined && part.id !== undefined && part.pending !== true;
}

/** The arguments of a call that was cut off while it was written are no JSON: they are stored as a JSON string. */
function closedArgs({ args }: StepFrame) {
  const given = jsonText(args);
  return given === undefined ? {} : { args: given };
}
