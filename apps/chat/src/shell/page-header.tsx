import {
  applyThemeChoice,
  Button,
  IconButton,
  LANGUAGES,
  type Language,
  Menu,
  type MenuItem,
  readThemeChoice,
  THEME_CHOICES,
} from '@berth/ui';
import { useStore } from '@berth/ui/store';
import {
  Brain,
  Compass,
  Folder,
  Languages,
  LogOut,
  Menu as MenuIcon,
  Monitor,
  Moon,
  Plug,
  Search,
  Settings,
  Share2,
  SquarePen,
  Sun,
  Wrench,
} from 'lucide-react';
import { useState } from 'react';
import { useAgent } from '../api/agent-context.ts';
import { usePreferences } from '../components/preferences.tsx';
import { NARROW, useMediaQuery } from '../components/use-media-query.ts';
import { useOpenChat } from '../features/conversation/state/open-chat-context.ts';
import type { PageActions } from '../page/page-actions.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

export interface PageHeaderProps {
  readonly actions: PageActions;
  readonly isListOpen: boolean;
  readonly areFilesOpen: boolean;
  onList(): void;
}

/** The header: the agent's name, the actions of the page and the settings; phones have most of them in one menu. */
export function PageHeader({ actions, isListOpen, areFilesOpen, onList }: PageHeaderProps) {
  const { t, language } = useChatTexts();
  const { setLanguage } = usePreferences();
  const [theme, setTheme] = useState(() => readThemeChoice(localStorage));
  const { config } = useAgent();
  const { conversation } = useOpenChat();
  const { items } = useStore(conversation.state);
  const isPhone = useMediaQuery(NARROW.phone);
  const { open, newChat, toggleFiles, canShare, signOut } = actions;
  const destinations = [
    { label: t('page.search'), icon: Search, onChoose: () => open('palette') },
    ...(canShare ? [{ label: t('share.share'), icon: Share2, onChoose: () => open('share') }] : []),
    ...(config.connectors ? [{ label: t('connect.title'), icon: Plug, onChoose: () => open('connectors') }] : []),
    ...(config.explore_enabled ? [{ label: t('agents.title'), icon: Compass, onChoose: () => open('agents') }] : []),
  ] satisfies readonly MenuItem[];
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-1 border-b border-line px-2 pt-[env(safe-area-inset-top)]">
      {config.auth && (
        <IconButton
          icon={MenuIcon}
          label={t('page.menu')}
          aria-expanded={isListOpen}
          aria-controls="chats"
          className="md:hidden"
          onClick={onList}
        />
      )}
      <div className="flex min-w-0 flex-1 items-center gap-2 px-2">
        <img src={config.favicon} alt="" className="size-6 shrink-0 rounded-md" />
        <h1 dir="auto" title={config.title} className="from-start min-w-0 flex-1 truncate font-semibold">
          {config.title}
        </h1>
      </div>
      {!config.auth && (
        <span title={t('sign.guestText')} className="rounded-md bg-sunken px-2 py-0.5 text-xs text-ink-soft">
          {t('sign.guest')}
        </span>
      )}
      {!config.auth && items.length > 0 && (
        <Button onClick={newChat}>
          <SquarePen aria-hidden className="size-4" />
          {t('chats.new')}
        </Button>
      )}
      {!isPhone &&
        destinations.map(({ label, icon, onChoose }) => (
          <IconButton key={label} icon={icon} label={label} onClick={onChoose} />
        ))}
      {config.auth && isPhone && <IconButton icon={SquarePen} label={t('chats.new')} onClick={newChat} />}
      {config.auth && (
        <IconButton
          icon={Folder}
          label={t('files.title')}
          aria-expanded={areFilesOpen}
          onClick={() => toggleFiles('files')}
        />
      )}
      <Menu
        trigger={<IconButton icon={Settings} label={t('page.settings')} />}
        items={[
          ...(isPhone ? destinations : []),
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
          ...(config.auth ? [{ label: t('tools.title'), icon: Wrench, onChoose: () => open('tools') }] : []),
          ...(config.memory ? [{ label: t('memory.title'), icon: Brain, onChoose: () => open('memory') }] : []),
          ...(signOut ? [{ label: t('sign.out'), icon: LogOut, onChoose: signOut }] : []),
        ]}
      />
    </header>
  );
}
