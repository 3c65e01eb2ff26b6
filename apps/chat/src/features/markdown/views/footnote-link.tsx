import { useContext } from 'react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { FootnoteContext } from './footnote-context.ts';

/** A footnote reference. It is a button and not a link, because the page's address names the chat and must not change. */
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
        onClick={() => goToFootnote(`${place}-note-${label}`)}
      >
        {label}
      </button>
    </sup>
  );
}

/** Scrolls to a footnote or its reference by element ID, and moves the focus there. */
export function goToFootnote(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'nearest' });
  target?.focus({ preventScroll: true });
}
