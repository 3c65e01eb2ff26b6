import {
  applyThemeChoice,
  keepLanguage,
  LANGUAGES,
  type Language,
  readThemeChoice,
  Select,
  THEME_CHOICES,
  type ThemeChoice,
} from '@berth/ui';
import { use, useState } from 'react';
import { LanguageContext } from '../../components/language-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Form for theme and language, which are kept in this browser. */
export function LookForm() {
  const { t, language } = useConsoleTexts();
  const speak = use(LanguageContext);
  const [theme, setTheme] = useState(() => readThemeChoice(localStorage));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select<ThemeChoice>
        label={t('shell.theme')}
        value={theme}
        options={THEME_CHOICES.map((value) => ({ value, label: t(`shell.theme.${value}`) }))}
        onChange={(choice) => {
          applyThemeChoice(choice, document.documentElement, localStorage);
          setTheme(choice);
        }}
      />
      <Select<Language>
        label={t('shell.language')}
        value={language}
        options={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
        onChange={(tag) => {
          keepLanguage(tag, localStorage);
          void speak(tag);
        }}
      />
    </div>
  );
}
