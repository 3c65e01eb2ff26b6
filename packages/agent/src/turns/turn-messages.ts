import type { NewMessage } from '@berth/agent-store';
import { flattenParts, type Part, type RunStatus, type StepFrame } from '@berth/contract/agent';

/** A turn that has ended. */
export interface EndedTurn {
  readonly runId: string;
  readonly status: Exclude<RunStatus, 'running'>;
  /** The parts that its frames add up to. */
  readonly parts: readonly Part[];
}

/** The result of a step that was in progress when its turn ended, by the turn's status. */
const UNFINISHED: Readonly<Record<EndedTurn['status'], string>> = {
  done: 'This did not end.',
  stopped: 'The person stopped the turn before this ended.',
  interrupted: 'The turn was cut off before this ended.',
  failed: 'The turn failed before this ended.',
};

/** Returns the messages that a turn leaves in its chat: one of the assistant, or none if it said nothing. */
export function turnMessages({ runId, status, parts }: EndedTurn): NewMessage[] {
  if (parts.length === 0) return [];
  const closed = parts.map((part) => (isUnfinished(part) ? closeStep(part, UNFINISHED[status]) : part));
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

/** Only a tool's step, which has an id, can be unfinished. */
function isUnfinished(part: Part): part is StepFrame {
  return part.type === 'step' && part.ok === undefined && part.id !== undefined;
}

function closeStep(step: StepFrame, result: string): StepFrame {
  return { ...step, ok: false, result: step.result ?? result };
}
