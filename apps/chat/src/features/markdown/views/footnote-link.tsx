import { useContext } from 'react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { FootnoteContext } from './footnote-context.ts';

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
        onClick={() => goToFootnote(`${place}-note-${label}`)}
      >
        {label}
      </button>
    </sup>
  );
}

/** To a footnote, or back to its mark, by the id of the place. */
export function goToFootnote(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'nearest' });
  target?.focus({ preventScroll: true });
}
