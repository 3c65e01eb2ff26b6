import {
  applyThemeChoice,
  keepLanguage,
  LANGUAGES,
  type Language,
  readThemeChoice,
  THEME_CHOICES,
  type ThemeChoice,
} from '@berth/ui';
import { use, useState } from 'react';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { LanguageContext } from './language-context.ts';

/** Returns theme and language, which are kept in this browser, with the choices for each. */
export function useLook() {
  const { t, language } = useConsoleTexts();
  const speak = use(LanguageContext);
  const [theme, setTheme] = useState(() => readThemeChoice(localStorage));
  return {
    theme,
    themes: THEME_CHOICES.map((value) => ({ value, label: t(`shell.theme.${value}`) })),
    setTheme(choice: ThemeChoice) {
      applyThemeChoice(choice, document.documentElement, localStorage);
      setTheme(choice);
    },
    language,
    languages: Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label })),
    setLanguage(tag: Language) {
      keepLanguage(tag, localStorage);
      void speak(tag);
    },
  };
}
