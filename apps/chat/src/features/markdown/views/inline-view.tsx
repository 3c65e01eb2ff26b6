import type { Token, Tokens } from 'marked';
import { createContext, type ReactNode, useContext } from 'react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { MessageImage } from '../../media/message-image.tsx';
import { MessageLink } from '../../media/message-link.tsx';
import { decodeEntities } from '../state/decode-entities.ts';
import type { FootnoteMark } from '../state/footnotes.ts';
import type { MathToken } from '../state/math.ts';
import { Formula } from './formula.tsx';

/** The prefix of footnote IDs, which is unique for each text: every text may have its own `[^1]`. */
export const FootnoteContext = createContext('');

/** Renders inline tokens. Raw HTML is shown as text. */
export function Inline({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no ID and never change places
  return tokens.map((token, index) => <InlineToken key={index} token={token} />);
}

function InlineToken({ token }: { readonly token: Token }): ReactNode {
  const inside = <Inline tokens={('tokens' in token && token.tokens) || []} />;
  switch (token.type) {
    case 'strong':
      return <strong>{inside}</strong>;
    case 'em':
      return <em>{inside}</em>;
    case 'del':
      return <del>{inside}</del>;
    case 'codespan':
      return (
        <code dir="ltr" className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.875em] break-words">
          {(token as Tokens.Codespan).text}
        </code>
      );
    case 'br':
      return <br />;
    case 'math':
      return <Formula tex={(token as MathToken).text} isBlock={false} />;
    case 'footnote-mark':
      return <FootnoteLink label={(token as FootnoteMark).label} />;
    case 'checkbox':
      return <Checkbox isDone={(token as Tokens.Checkbox).checked} />;
    case 'link':
      return <MessageLink href={(token as Tokens.Link).href}>{inside}</MessageLink>;
    case 'image':
      return <MessageImage src={(token as Tokens.Image).href} alt={decodeEntities((token as Tokens.Image).text)} />;
    case 'text':
      return 'tokens' in token && token.tokens ? inside : decodeEntities((token as Tokens.Text).text);
    case 'escape':
      return (token as Tokens.Escape).text;
    default:
      return token.raw;
  }
}

function Checkbox({ isDone }: { readonly isDone: boolean }) {
  const { t } = useChatTexts();
  const label = isDone ? t('part.done') : t('part.toDo');
  return (
    <input type="checkbox" disabled checked={isDone} readOnly aria-label={label} className="me-1.5 align-middle" />
  );
}

/** A footnote reference. It is a button and not a link, because the page's address names the chat and must not change. */
function FootnoteLink({ label }: { readonly label: string }) {
  const { t } = useChatTexts();
  const place = useContext(FootnoteContext);
  return (
    <sup>
      <button
        type="button"
        id={`${place}-mark-${label}`}
        aria-label={t('part.footnote', { label })}
        className="ms-px leading-4 font-medium text-accent hover:underline"
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
