import { CommandPalette } from '@berth/ui';
import { useNavigate } from '@tanstack/react-router';
import { Languages, LogOut, Settings, SunMoon } from 'lucide-react';
import { useConsole } from '../api/console-context.ts';
import { useRights } from '../api/use-rights.ts';
import { useLook } from '../components/use-look.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { allowedItems } from './nav-items.ts';

/** The command palette with all pages and global actions. */
export function ConsolePalette(props: { readonly isOpen: boolean; onOpenChange(isOpen: boolean): void }) {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const { session } = useConsole();
  const rights = useRights();
  const { themes, setTheme, languages, setLanguage } = useLook();
  const items = [
    ...allowedItems(rights).map(({ to, label, icon, keys }) => ({
      ...{ value: to, label: t(label), icon, keys },
      onChoose: () => void navigate({ to }),
    })),
    {
      ...{ value: '/account', label: t('account.title'), icon: Settings },
      onChoose: () => void navigate({ to: '/account' }),
    },
    ...themes.map(({ value, label }) => ({
      ...{ value: `theme-${value}`, label: `${t('shell.theme')}: ${label}`, icon: SunMoon },
      onChoose: () => setTheme(value),
    })),
    ...languages.map(({ value, label }) => ({
      ...{ value: `language-${value}`, label: `${t('shell.language')}: ${label}`, icon: Languages },
      onChoose: () => setLanguage(value),
    })),
    { value: 'sign-out', label: t('shell.signOut'), icon: LogOut, onChoose: () => void session.signOut() },
  ];
  return <CommandPalette {...props} items={items} />;
}
