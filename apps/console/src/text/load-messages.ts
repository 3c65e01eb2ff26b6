import type { Language, Translation } from '@berth/ui';
import type { ConsoleMessages } from './en/index.ts';

/** The texts of one language; the others are not downloaded. */
export async function loadMessages(language: Language): Promise<Translation<ConsoleMessages>> {
  return language === 'ar' ? (await import('./ar/index.ts')).ar : (await import('./en/index.ts')).en;
}
