/** The languages of both pages, each with its own name for itself. */
export const LANGUAGES = { en: 'English', ar: 'العربية' } as const;

export type Language = keyof typeof LANGUAGES;

const STORED_AS = 'berth.language';
const RIGHT_TO_LEFT: readonly Language[] = ['ar'];

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr';
}

/** Returns the person's choice, else the first supported language of the browser, else English. */
export function chooseLanguage(storage: Pick<Storage, 'getItem'>, preferred: readonly string[]): Language {
  const wanted = [storage.getItem(STORED_AS) ?? '', ...preferred].map((tag) => tag.split('-')[0]?.toLowerCase());
  return wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(LANGUAGES, tag)) ?? 'en';
}

export function keepLanguage(language: Language, storage: Pick<Storage, 'setItem'>): void {
  storage.setItem(STORED_AS, language);
}
