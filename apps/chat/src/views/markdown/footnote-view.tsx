import { CornerLeftUp } from 'lucide-react';
import { useContext } from 'react';
import type { Footnote } from '../../state/markdown/footnotes.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { FootnoteContext } from './footnote-context.ts';
import { Inline } from './inline-view.tsx';

/** The mark of a footnote in the text, which leads to it. A button: the page's address names the chat, and stays. */
export function FootnoteLink({ label }: { readonly label: string }) {
  const { t } = useChatTexts();
  const place = useContext(FootnoteContext);
  return (
    <sup>
      <button
        type="button"
        id={`${place}-mark-${label}`}
        aria-label={t('part.footnote', { label })}
        className="px-1 leading-4 font-medium text-accent hover:underline"
        onClick={() => goTo(`${place}-note-${label}`)}
      >
        {label}
      </button>
    </sup>
  );
}

/** A footnote, and the way back to where it belongs. */
export function FootnoteView({ note }: { readonly note: Footnote }) {
  const { t } = useChatTexts();
  const place = useContext(FootnoteContext);
  const { label, tokens = [] } = note;
  return (
    <p
      id={`${place}-note-${label}`}
      tabIndex={-1}
      role="note"
      aria-label={t('part.footnote', { label })}
      className="flex items-baseline gap-2 text-[0.8125rem] leading-5 text-ink-soft"
    >
      <span aria-hidden className="tabular-nums">
        {label}.
      </span>
      <span dir="auto" className="min-w-0 flex-1">
        <Inline tokens={tokens} />
        <button
          type="button"
          aria-label={t('part.footnoteBack', { label })}
          className="ms-1 inline-flex size-6 items-center justify-center rounded align-middle text-accent hover:bg-hover"
          onClick={() => goTo(`${place}-mark-${label}`)}
        >
          <CornerLeftUp aria-hidden className="size-3.5" />
        </button>
      </span>
    </p>
  );
}

function goTo(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'nearest' });
  target?.focus({ preventScroll: true });
}
