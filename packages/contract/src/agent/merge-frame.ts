import type { ComponentFrame, StepFrame } from './frame.ts';
import type { Part, TablePart } from './part.ts';

/**
 * Adds a frame to the parts of a message, as every reader of the stream does: the server that stores the message, the page
 * that shows it, the terminal. Source: spec agent-api 2, the column "merge". The parts before are not changed; equal parts are the same objects.
 */
export function mergeFrame(parts: readonly Part[], frame: ComponentFrame): readonly Part[] {
  const last = parts.at(-1);
  switch (frame.type) {
    case 'text':
      return last?.type === 'text' ? replaceLast(parts, { ...last, text: last.text + frame.text }) : [...parts, frame];
    case 'thinking':
      return last?.type === 'thinking'
        ? replaceLast(parts, { ...last, thinking: last.thinking + frame.thinking })
        : [...parts, frame];
    case 'code':
      return last?.type === 'code' && (frame.language === undefined || frame.language === last.language)
        ? replaceLast(parts, { ...last, code: last.code + frame.code })
        : [...parts, frame];
    case 'table':
      return frame.headers === undefined
        ? addRow(parts, frame.row)
        : [...parts, { type: 'table', headers: frame.headers, rows: [] }];
    case 'status': {
      const index = parts.findLastIndex((part) => part.type === 'status');
      return index === -1 ? [...parts, frame] : replaceAt(parts, index, frame);
    }
    case 'step':
      return mergeStep(parts, frame);
    case 'step_arg': {
      const index = findStep(parts, frame.id);
      const step = parts[index] as StepFrame | undefined;
      if (step === undefined) return [...parts, { type: 'step', id: frame.id, args: frame.delta }];
      const before = typeof step.args === 'string' ? step.args : '';
      return replaceAt(parts, index, { ...step, args: before + frame.delta });
    }
    default:
      return [...parts, frame];
  }
}

/** All parts that the frames add up to. */
export function mergeFrames(frames: Iterable<ComponentFrame>): readonly Part[] {
  let parts: readonly Part[] = [];
  for (const frame of frames) parts = mergeFrame(parts, frame);
  return parts;
}

function mergeStep(parts: readonly Part[], frame: StepFrame): readonly Part[] {
  const index = frame.id === undefined ? -1 : findStep(parts, frame.id);
  return index === -1 ? [...parts, frame] : replaceAt(parts, index, { ...(parts[index] as StepFrame), ...frame });
}

/** A row that comes without a table opens one without headings. */
function addRow(parts: readonly Part[], row: readonly string[]): readonly Part[] {
  const last = parts.at(-1);
  if (last?.type !== 'table') return [...parts, { type: 'table', headers: [], rows: [row] } satisfies TablePart];
  return replaceLast(parts, { ...last, rows: [...last.rows, row] });
}

function findStep(parts: readonly Part[], id: string): number {
  return parts.findLastIndex((part) => part.type === 'step' && part.id === id);
}

function replaceLast(parts: readonly Part[], part: Part): readonly Part[] {
  return replaceAt(parts, parts.length - 1, part);
}

function replaceAt(parts: readonly Part[], index: number, part: Part): readonly Part[] {
  return parts.with(index, part);
}
