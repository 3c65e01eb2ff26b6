import { IconButton, Menu } from '@berth/ui';
import { Languages, SunMoon } from 'lucide-react';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { useLook } from './use-look.ts';

/** The menus for theme and language, which are stored in this browser. */
export function LookMenus() {
  const { t } = useConsoleTexts();
  const { theme, themes, setTheme, language, languages, setLanguage } = useLook();
  return (
    <>
      <Menu
        trigger={<IconButton icon={SunMoon} label={t('shell.theme')} />}
        items={themes.map(({ value, label }) => ({
          label,
          isChosen: value === theme,
          onChoose: () => setTheme(value),
        }))}
      />
      <Menu
        trigger={<IconButton icon={Languages} label={t('shell.language')} />}
        items={languages.map(({ value, label }) => ({
          label,
          isChosen: value === language,
          onChoose: () => setLanguage(value),
        }))}
      />
    </>
  );
}
