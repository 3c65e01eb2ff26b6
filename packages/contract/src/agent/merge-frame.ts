import type { CardPart, ComponentFrame, Part, StepFrame } from './frame.ts';

/** A frame that is merged into parts. The server also stores the cards that wait for the person. */
type MergedFrame = ComponentFrame | CardPart;

/**
 * Returns the parts of a message after a frame. Every reader of the stream uses it: the server that stores the message, the
 * page and the terminal. The given parts aren't changed, and unchanged parts stay the same objects.
 * Source: docs/contract/agent-api.md §2, the column "merge".
 */
export function mergeFrame(parts: readonly Part[], frame: MergedFrame): readonly Part[] {
  const next = [...parts];
  addFrame(next, frame);
  return next;
}

/** Returns the parts that result from merging all frames. */
export function mergeFrames(frames: Iterable<MergedFrame>): readonly Part[] {
  const builder = createPartsBuilder();
  for (const frame of frames) builder.add(frame);
  return builder.parts;
}

/**
 * Returns the parts of an answer that goes on in a second message: its steps update those of the first one with the same `id`, and
 * all other parts follow.
 */
export function joinParts(before: readonly Part[], after: readonly Part[]): readonly Part[] {
  const parts = [...before];
  for (const part of after) {
    const index = part.type === 'step' && part.id !== undefined ? findStep(parts, part.id) : -1;
    replaceOrPush(parts, index, index === -1 ? part : { ...(parts[index] as StepFrame), ...(part as StepFrame) });
  }
  return parts;
}

/** An incremental merger of frames. The cost of adding a frame doesn't grow with the message. */
export interface PartsBuilder {
  /** Merges a frame into the parts. */
  add(frame: MergedFrame): void;
  /** The parts so far. The array changes with each added frame, and has all of them when this is read. */
  readonly parts: readonly Part[];
}

/** Pieces of text after which they become one string. */
const MAX_PIECES = 64;

/** Creates a builder; `before` are the parts of an answer that goes on. */
export function createPartsBuilder(before: readonly Part[] = []): PartsBuilder {
  const parts: Part[] = [...before];
  /** Rows of the current table. Only this builder may refer to the array, because rows are appended in place. */
  let rows: (readonly string[])[] | undefined;
  /** Text that follows that of the last part. V8 keeps a sum of strings as a tree, whose nodes weigh more than a few words. */
  let pieces: string[] = [];
  const join = (): void => {
    const last = parts.at(-1);
    if (pieces.length === 0 || last?.type !== 'text') return;
    const text = last.text + pieces.join('');
    // Reading a character makes one string of the tree.
    text.charCodeAt(0);
    parts[parts.length - 1] = { ...last, text };
    pieces = [];
  };
  return {
    get parts() {
      join();
      return parts;
    },
    add(frame) {
      if (frame.type === 'text' && parts.at(-1)?.type === 'text') {
        if (pieces.push(frame.text) === MAX_PIECES) join();
        return;
      }
      join();
      if (frame.type === 'table' && frame.headers === undefined && rows && parts.at(-1)?.type === 'table') {
        rows.push(frame.row);
        return;
      }
      addFrame(parts, frame);
      const last = parts.at(-1);
      if (frame.type !== 'table' || last?.type !== 'table') return;
      rows = [...last.rows];
      parts[parts.length - 1] = { ...last, rows };
    },
  };
}

/** Merges a frame into `parts`: changes the array, but never a part in it. */
function addFrame(parts: Part[], frame: MergedFrame): void {
  const last = parts.at(-1);
  const end = parts.length - 1;
  switch (frame.type) {
    case 'text':
      if (last?.type === 'text') parts[end] = { ...last, text: last.text + frame.text };
      else parts.push(frame);
      return;
    case 'thinking':
      if (last?.type === 'thinking') parts[end] = { ...last, thinking: last.thinking + frame.thinking };
      else parts.push(frame);
      return;
    case 'code':
      if (last?.type === 'code' && (frame.language === undefined || frame.language === last.language)) {
        parts[end] = { ...last, code: last.code + frame.code };
      } else parts.push(frame);
      return;
    case 'table':
      if (frame.headers !== undefined) parts.push({ type: 'table', headers: frame.headers, rows: [] });
      // A row without a current table starts one without headers.
      else if (last?.type !== 'table') parts.push({ type: 'table', headers: [], rows: [frame.row] });
      else parts[end] = { ...last, rows: [...last.rows, frame.row] };
      return;
    case 'status':
      replaceOrPush(
        parts,
        parts.findLastIndex((part) => part.type === 'status'),
        frame,
      );
      return;
    case 'step': {
      const index = frame.id === undefined ? -1 : findStep(parts, frame.id);
      replaceOrPush(parts, index, { ...(parts[index] as StepFrame | undefined), ...frame });
      return;
    }
    case 'step_arg': {
      const index = findStep(parts, frame.id);
      const step = parts[index] as StepFrame | undefined;
      replaceOrPush(parts, index, {
        ...(step ?? { type: 'step', id: frame.id }),
        args: (step?.args ?? '') + frame.delta,
      });
      return;
    }
    default:
      parts.push(frame);
  }
}

function findStep(parts: readonly Part[], id: string): number {
  return parts.findLastIndex((part) => part.type === 'step' && part.id === id);
}

function replaceOrPush(parts: Part[], index: number, part: Part): void {
  if (index === -1) parts.push(part);
  else parts[index] = part;
}
