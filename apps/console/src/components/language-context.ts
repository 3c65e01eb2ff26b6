import type { Language } from '@berth/ui';
import { createContext } from 'react';

/** Changes the language of the console without a reload. */
export const LanguageContext = createContext<(language: Language) => Promise<void>>(async () => {});
