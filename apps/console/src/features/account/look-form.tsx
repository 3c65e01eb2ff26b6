import { type Language, Select, type ThemeChoice } from '@berth/ui';
import { useLook } from '../../components/use-look.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Form for theme and language, which are kept in this browser. */
export function LookForm() {
  const { t } = useConsoleTexts();
  const { theme, themes, setTheme, language, languages, setLanguage } = useLook();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select<ThemeChoice> label={t('shell.theme')} value={theme} options={themes} onChange={setTheme} />
      <Select<Language> label={t('shell.language')} value={language} options={languages} onChange={setLanguage} />
    </div>
  );
}
