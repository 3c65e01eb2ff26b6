import type { Language } from '@berth/ui';
import { createContext } from 'react';

/** Changes the language of the whole console, without a reload. */
export const LanguageContext = createContext<(language: Language) => Promise<void>>(async () => {});
