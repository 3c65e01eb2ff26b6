/** The languages that both pages speak; each names itself. */
export const LANGUAGES = { en: 'English', ar: 'العربية' } as const;

export type Language = keyof typeof LANGUAGES;

const STORED_AS = 'berth.language';
const RIGHT_TO_LEFT: readonly Language[] = ['ar'];

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr';
}

/** What the person chose, else the first language of the browser that there is, else English. */
export function chooseLanguage(storage: Pick<Storage, 'getItem'>, preferred: readonly string[]): Language {
  const wanted = [storage.getItem(STORED_AS) ?? '', ...preferred].map((tag) => tag.split('-')[0]?.toLowerCase());
  return wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(LANGUAGES, tag)) ?? 'en';
}

export function keepLanguage(language: Language, storage: Pick<Storage, 'setItem'>): void {
  storage.setItem(STORED_AS, language);
}
