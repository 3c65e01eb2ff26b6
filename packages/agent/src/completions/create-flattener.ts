import { type ComponentFrame, flattenPart, mergeFrame, type Part } from '@berth/contract/agent';

/**
 * Creates a streaming converter of an answer's frames to Markdown. Its pieces, joined, equal `flattenParts` of the merged frames. Text is passed through at once; tables
 * and code are held back until they are complete, because their first line depends on their last.
 */
export function createFlattener() {
  /** The part that frames may still be added to. Its text, if it is a text part, was returned already. */
  let open: Part | undefined;
  let hasText = false;
  let hasStatus = false;
  const steps = new Set<string>();

  const separated = (text: string): string => {
    if (text === '') return '';
    const separator = hasText ? '\n\n' : '';
    hasText = true;
    return separator + text;
  };
  const close = (next: Part | undefined): string => {
    const text = open === undefined || open.type === 'text' ? '' : separated(flattenPart(open));
    open = next;
    return text;
  };
  /** Returns true for a frame that changes an earlier part. */
  const isElsewhere = (frame: ComponentFrame): boolean => {
    if (frame.type === 'status') {
      const before = hasStatus;
      hasStatus = true;
      return before;
    }
    if ((frame.type !== 'step' && frame.type !== 'step_arg') || frame.id === undefined) return false;
    const before = steps.has(frame.id);
    steps.add(frame.id);
    return before;
  };

  return {
    /** Returns the text that `frame` adds; empty for frames without a text form and for incomplete parts. */
    add(frame: ComponentFrame): string {
      if (isElsewhere(frame)) return '';
      if (frame.type === 'text') {
        if (open?.type === 'text') {
          // A text part that began empty has no separator yet.
          if (open.text !== '') return frame.text;
          open = frame;
          return separated(frame.text);
        }
        return close(frame) + separated(frame.text);
      }
      const merged = mergeFrame(open === undefined ? [] : [open], frame);
      if (merged.length > 1 || open === undefined) return close(merged.at(-1));
      open = merged[0];
      return '';
    },
    /** Returns the text of the last part, after all frames. */
    end: () => close(undefined),
  };
}
