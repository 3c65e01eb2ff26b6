import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { applyCompletion, type Complete, type Completion, type CompletionOption } from './completion.ts';

/** Manages the completions of a text field and the keys that select one. */
export function useCompletion(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  complete: Complete,
  onChoose: (text: string, caret: number) => void,
) {
  const [open, setOpen] = useState<Completion & { readonly active: number }>();
  /** True while typing was the last action: completions that arrive later still open then. */
  const isWriting = useRef(false);
  const close = () => {
    isWriting.current = false;
    setOpen(undefined);
  };

  const show = (field: HTMLTextAreaElement) => {
    isWriting.current = true;
    const found = field.selectionStart === field.selectionEnd && complete(field.value, field.selectionStart);
    // Nothing is selected yet, so Enter keeps its usual meaning.
    setOpen(found ? { ...found, active: -1 } : undefined);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only that more is known opens it anew
  useEffect(() => {
    if (isWriting.current && fieldRef.current && (open?.active ?? -1) < 0) show(fieldRef.current);
  }, [complete]);
  const choose = (field: HTMLTextAreaElement, option: CompletionOption) => {
    if (!open) return;
    const { text, caret } = applyCompletion(field.value, field.selectionStart, open.from, option);
    close();
    onChoose(text, caret);
  };
  /** Handles a key press. Returns true when the list consumed it. */
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const field = event.currentTarget;
    if (event.key === ' ' && event.ctrlKey) {
      show(field);
      return true;
    }
    if (!open) return false;
    const count = open.options.length;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setOpen({ ...open, active: open.active < 0 && step < 0 ? count - 1 : (open.active + step + count) % count });
      return true;
    }
    const option = open.options[event.key === 'Tab' ? Math.max(open.active, 0) : open.active];
    if ((event.key === 'Tab' && !event.shiftKey) || (event.key === 'Enter' && !event.ctrlKey && open.active >= 0)) {
      if (option) choose(field, option);
      return true;
    }
    if (event.key !== 'Escape') return false;
    close();
    return true;
  };
  return { open, show, choose, close, onKey };
}
