import type { NewMessage } from '@berth/agent-store';
import { flattenParts, type Part, type RunStatus, type StepFrame } from '@berth/contract/agent';

/** A run that is over. */
export interface EndedTurn {
  readonly runId: string;
  readonly status: Exclude<RunStatus, 'running'>;
  /** What its frames add up to. */
  readonly parts: readonly Part[];
}

/** What is told of a step that was under way when its turn ended. */
const UNFINISHED: Readonly<Record<EndedTurn['status'], string>> = {
  done: 'This did not end.',
  stopped: 'The person stopped the turn before this ended.',
  interrupted: 'The turn was cut off before this ended.',
  failed: 'The turn failed before this ended.',
};

/** The messages that an ended turn leaves in its chat: one of the assistant, or none when it said nothing. */
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

/** A step of a tool has an end; one without a tool only says what is done. */
function isUnfinished(part: Part): part is StepFrame {
  return part.type === 'step' && part.ok === undefined && part.id !== undefined;
}

function closeStep(step: StepFrame, result: string): StepFrame {
  return { ...step, ok: false, result: step.result ?? result };
}
