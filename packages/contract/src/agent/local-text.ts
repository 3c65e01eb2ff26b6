/** Text, or texts by language (`{ en: …, ar: … }`), of which a page shows the reader's. Without zod: pages load it first. */
export type LocalText = string | Readonly<Record<string, string>>;

/** Returns the text in `language`, else in English, else in the first language that it has. */
export function inLanguage(text: LocalText, language = 'en'): string {
  if (typeof text === 'string') return text;
  return text[language] ?? text['en'] ?? Object.values(text)[0] ?? '';
}
