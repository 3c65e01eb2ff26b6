import { type ComponentFrame, flattenPart, mergeFrame, type Part } from '@berth/contract/agent';

/** Turns the frames of one answer into the markdown that they add up to, while they come. */
export interface Flattener {
  /** What `frame` adds to the text; empty for what has no text form, or is not complete yet. */
  add(frame: ComponentFrame): string;
  /** What is left when no more frames come. */
  end(): string;
}

/**
 * All that it gives, joined, is `flattenParts` of the merged frames. Text goes through at once; a table or a piece of code
 * waits until it is whole, because its first line depends on its last.
 */
export function createFlattener(): Flattener {
  /** The part that frames may still be added to, unless it is text, which is given already. */
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
  /** True for a frame that changes a part which stands further up. */
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
    add(frame) {
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
    end: () => close(undefined),
  };
}
