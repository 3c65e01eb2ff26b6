import {
  applyThemeChoice,
  IconButton,
  keepLanguage,
  LANGUAGES,
  type Language,
  Menu,
  readThemeChoice,
  THEME_CHOICES,
} from '@berth/ui';
import { Languages, SunMoon } from 'lucide-react';
import { use, useState } from 'react';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { LanguageContext } from './language-context.ts';

/** The menus for theme and language, which are stored in this browser. */
export function LookMenus() {
  const { t, language } = useConsoleTexts();
  const speak = use(LanguageContext);
  const [theme, setTheme] = useState(() => readThemeChoice(localStorage));
  return (
    <>
      <Menu
        trigger={<IconButton icon={SunMoon} label={t('shell.theme')} />}
        items={THEME_CHOICES.map((choice) => ({
          label: t(`shell.theme.${choice}`),
          isChosen: choice === theme,
          onChoose() {
            applyThemeChoice(choice, document.documentElement, localStorage);
            setTheme(choice);
          },
        }))}
      />
      <Menu
        trigger={<IconButton icon={Languages} label={t('shell.language')} />}
        items={Object.entries(LANGUAGES).map(([tag, name]) => ({
          label: name,
          isChosen: tag === language,
          onChoose() {
            keepLanguage(tag as Language, localStorage);
            void speak(tag as Language);
          },
        }))}
      />
    </>
  );
}
