import { AR } from './ar.ts';
import { EN } from './en.ts';
import type { Letter, LetterTexts, LetterWords } from './letter.ts';
import type { MailLanguage } from './mail-language.ts';

const TEXTS: Readonly<Record<MailLanguage, LetterTexts>> = { en: EN, ar: AR };

/** An e-mail as it is sent, without its addresses. */
export interface ComposedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Returns a letter as plain text and HTML. Names in it come from people: line breaks, control characters and marks that
 * change the direction of text are replaced by spaces, and HTML is escaped.
 */
export function composeMail(letter: Letter, language: MailLanguage): ComposedMail {
  const word = TEXTS[language][letter.kind] as (letter: Letter) => LetterWords;
  const words = word(cleanValues(letter));
  const { subject, paragraphs, action, closing } = words;
  const text = [...paragraphs, ...(action ? [`${action.label}:\n${action.link}`] : []), ...(closing ? [closing] : [])];
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  const body = [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(action ? [toLink(action)] : []),
    ...(closing ? [`<p style="color:#555">${escapeHtml(closing)}</p>`] : []),
  ];
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="${language}" dir="${direction}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body dir="${direction}" style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;max-width:36em">
${body.join('\n')}
</body>
</html>
`,
  };
}

/** The address is shown too, for readers that don't render links. */
function toLink({ label, link }: NonNullable<LetterWords['action']>): string {
  const href = escapeHtml(link);
  return `<p><a href="${href}">${escapeHtml(label)}</a><br><span dir="ltr" style="font-size:13px;color:#555;word-break:break-all">${href}</span></p>`;
}

/** Control characters, line separators, and marks that embed, override or isolate a direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

function cleanValues(letter: Letter): Letter {
  const entries = Object.entries(letter).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll(UNSAFE, ' ') : value,
  ]);
  return Object.fromEntries(entries) as Letter;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
