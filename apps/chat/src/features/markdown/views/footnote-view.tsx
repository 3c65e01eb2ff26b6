import { CornerLeftUp } from 'lucide-react';
import { useContext } from 'react';
import { directionOf } from '../../../components/direction-of.ts';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import type { Footnote } from '../state/footnotes.ts';
import { FootnoteContext, goToFootnote, Inline } from './inline-view.tsx';

/** A footnote with a button that leads back to its reference. */
export function FootnoteView({ note }: { readonly note: Footnote }) {
  const { t } = useChatTexts();
  const place = useContext(FootnoteContext);
  const { label, raw, tokens = [] } = note;
  return (
    <p
      id={`${place}-note-${label}`}
      tabIndex={-1}
      role="note"
      dir={directionOf(raw)}
      aria-label={t('part.footnote', { label })}
      className="flex items-baseline gap-2 text-[0.8125rem] leading-5 text-ink-soft"
    >
      <span aria-hidden className="tabular-nums">
        {label}.
      </span>
      <span className="min-w-0 flex-1">
        <Inline tokens={tokens} />
        <button
          type="button"
          aria-label={t('part.footnoteBack', { label })}
          className="ms-1 inline-flex size-6 items-center justify-center rounded align-middle text-accent hover:bg-hover"
          onClick={() => goToFootnote(`${place}-mark-${label}`)}
        >
          <CornerLeftUp aria-hidden className="size-3.5" />
        </button>
      </span>
    </p>
  );
}
