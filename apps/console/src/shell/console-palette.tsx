import { applyThemeChoice, CommandPalette, keepLanguage, LANGUAGES, type Language, THEME_CHOICES } from '@berth/ui';
import { useNavigate } from '@tanstack/react-router';
import { Languages, LogOut, Settings, SunMoon } from 'lucide-react';
import { use } from 'react';
import { useConsole } from '../api/console-context.ts';
import { useRights } from '../api/use-rights.ts';
import { LanguageContext } from '../components/language-context.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { allowedItems } from './nav-items.ts';

export interface ConsolePaletteProps {
  readonly isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
}

/** The command palette with all pages and global actions. */
export function ConsolePalette(props: ConsolePaletteProps) {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const { session } = useConsole();
  const rights = useRights();
  const speak = use(LanguageContext);
  const items = [
    ...allowedItems(rights).map(({ to, label, icon, keys }) => ({
      ...{ value: to, label: t(label), icon, keys },
      onChoose: () => void navigate({ to }),
    })),
    {
      ...{ value: '/account', label: t('account.title'), icon: Settings },
      onChoose: () => void navigate({ to: '/account' }),
    },
    ...THEME_CHOICES.map((choice) => ({
      ...{ value: `theme-${choice}`, label: `${t('shell.theme')}: ${t(`shell.theme.${choice}`)}`, icon: SunMoon },
      onChoose: () => applyThemeChoice(choice, document.documentElement, localStorage),
    })),
    ...Object.entries(LANGUAGES).map(([tag, name]) => ({
      ...{ value: `language-${tag}`, label: `${t('shell.language')}: ${name}`, icon: Languages },
      onChoose() {
        keepLanguage(tag as Language, localStorage);
        void speak(tag as Language);
      },
    })),
    { value: 'sign-out', label: t('shell.signOut'), icon: LogOut, onChoose: () => void session.signOut() },
  ];
  return <CommandPalette {...props} items={items} />;
}
