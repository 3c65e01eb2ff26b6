import { splitTail } from './split-tail.ts';

/**
 * A long name truncated in the middle, since names differ at their ends. Its title and screen readers have the full name,
 * and selecting it copies the full name once: the truncated one lies over the real text and can't be selected.
 */
export function MiddleText({ text }: { readonly text: string }) {
  const { head, tail } = splitTail(text);
  if (tail === '') {
    return (
      <bdi title={text} className="inline-block max-w-full min-w-0 truncate align-bottom">
        {text}
      </bdi>
    );
  }
  return (
    // The padding is room for a letter pair that is set closer in the whole name than in its two parts.
    <bdi
      title={text}
      className="relative inline-block max-w-full min-w-0 overflow-clip whitespace-pre pe-0.5 align-bottom"
    >
      <span className="text-transparent">{text}</span>
      <span aria-hidden className="pointer-events-none absolute inset-0 flex select-none">
        <span className="truncate whitespace-pre">{head}</span>
        <span className="shrink-0 whitespace-pre">{tail}</span>
      </span>
    </bdi>
  );
}
