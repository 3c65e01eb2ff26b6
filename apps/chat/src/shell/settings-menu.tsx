import {
  applyThemeChoice,
  IconButton,
  LANGUAGES,
  type Language,
  Menu,
  type MenuItem,
  readThemeChoice,
  THEME_CHOICES,
} from '@berth/ui';
import { Languages, LogOut, Monitor, Moon, Settings, Sun, Wrench } from 'lucide-react';
import { useState } from 'react';
import { usePreferences } from '../components/preferences.tsx';
import { useChatTexts } from '../text/use-chat-texts.ts';

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

export interface SettingsMenuProps {
  /** Further items at the top of the menu. */
  readonly items?: readonly MenuItem[];
  /** Opens the tool permissions. */
  readonly onTools?: (() => void) | undefined;
  readonly onSignOut?: (() => void) | undefined;
}

/** The menu for theme, language, tools and sign-out. */
export function SettingsMenu({ items = [], onTools, onSignOut }: SettingsMenuProps) {
  const { t, language } = useChatTexts();
  const { setLanguage } = usePreferences();
  const [theme, setTheme] = useState(() => readThemeChoice(localStorage));
  return (
    <Menu
      trigger={<IconButton icon={Settings} label={t('page.settings')} />}
      items={[
        ...items,
        ...THEME_CHOICES.map((choice) => ({
          label: t(`page.theme.${choice}`),
          icon: THEME_ICONS[choice],
          isChosen: theme === choice,
          onChoose() {
            applyThemeChoice(choice, document.documentElement, localStorage);
            setTheme(choice);
          },
        })),
        ...(Object.entries(LANGUAGES) as [Language, string][]).map(([tag, name]) => ({
          label: t('page.language', { name }),
          icon: Languages,
          isChosen: language === tag,
          onChoose: () => setLanguage(tag),
        })),
        ...(onTools ? [{ label: t('tools.title'), icon: Wrench, onChoose: onTools }] : []),
        ...(onSignOut ? [{ label: t('sign.out'), icon: LogOut, onChoose: onSignOut }] : []),
      ]}
    />
  );
}
