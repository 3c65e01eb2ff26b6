import { applyThemeChoice, LANGUAGES, type Language, type PaletteItem, quote, THEME_CHOICES } from '@berth/ui';
import {
  Brain,
  Compass,
  Folder,
  Keyboard,
  Languages,
  LogOut,
  Pencil,
  Plug,
  Share2,
  ShieldCheck,
  SquarePen,
  SunMoon,
  Terminal,
  Trash2,
  Wrench,
} from 'lucide-react';
import { useAgent } from '../../api/agent-context.ts';
import { useAgentCall } from '../../api/use-agent-call.ts';
import { usePreferences } from '../../components/preferences.tsx';
import { useCopy } from '../../components/use-copy.ts';
import type { PageActions } from '../../page/page-actions.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useOpenChat } from '../conversation/state/open-chat-context.ts';
import { IS_MAC, PAGE_KEYS, writeKeys } from '../keys/page-keys.ts';

type Action = PaletteItem | false;

/** Returns the palette items of the actions available now (`work`) and of the themes and languages (`look`). */
export function useActionItems(actions: PageActions) {
  const { t, language } = useChatTexts();
  const { config } = useAgent();
  const { setLanguage } = usePreferences();
  const command = useChatCommand();
  const copy = useCopy();
  const { open, toggleFiles, newChat, write, canShare, signOut } = actions;
  const keysOf = (name: keyof typeof PAGE_KEYS) => writeKeys(PAGE_KEYS[name], IS_MAC);
  const look: readonly Action[] = [
    ...THEME_CHOICES.map((choice) => ({
      ...{ value: `theme ${choice}`, label: t(`page.theme.${choice}`), icon: SunMoon },
      onChoose: () => applyThemeChoice(choice, document.documentElement, localStorage),
    })),
    ...(Object.entries(LANGUAGES) as [Language, string][]).map(
      ([tag, name]): Action =>
        tag !== language && {
          ...{ value: `language ${tag}`, label: t('page.language', { name }), icon: Languages },
          onChoose: () => setLanguage(tag),
        },
    ),
  ];
  const work: readonly Action[] = [
    { value: 'new', label: t('chats.new'), icon: SquarePen, keys: keysOf('newChat'), onChoose: newChat },
    { value: 'write', label: t('keys.message'), icon: Pencil, keys: keysOf('message'), onChoose: write },
    config.auth && {
      ...{ value: 'files', label: t('files.title'), icon: Folder, keys: keysOf('files') },
      onChoose: actions.showFiles,
    },
    config.auth && {
      ...{ value: 'trash', label: t('files.trash'), icon: Trash2 },
      onChoose: () => toggleFiles('trash'),
    },
    canShare && { value: 'share', label: t('share.title'), icon: Share2, onChoose: () => open('share') },
    config.connectors && {
      ...{ value: 'connectors', label: t('connect.title'), icon: Plug },
      onChoose: () => open('connectors'),
    },
    config.auth && {
      ...{ value: 'approvals', label: t('approvals.title'), icon: ShieldCheck },
      onChoose: () => open('approvals'),
    },
    config.auth && { value: 'tools', label: t('tools.title'), icon: Wrench, onChoose: () => open('tools') },
    config.memory && { value: 'memory', label: t('memory.title'), icon: Brain, onChoose: () => open('memory') },
    config.explore_enabled && {
      ...{ value: 'agents', label: t('agents.title'), icon: Compass },
      onChoose: () => open('agents'),
    },
    ...(['berth', 'curl'] as const).map((name) => ({
      ...{ value: name, label: t('palette.command', { name }), icon: Terminal },
      onChoose: () => copy(command[name]()),
    })),
    { value: 'keys', label: t('keys.title'), icon: Keyboard, keys: keysOf('keys'), onChoose: () => open('keys') },
    signOut !== undefined && { value: 'out', label: t('sign.out'), icon: LogOut, onChoose: signOut },
  ];
  const shown = (items: readonly Action[]) => items.filter((item) => item !== false);
  return { work: shown(work), look: shown(look) };
}

/** Returns functions that write shell commands to continue the open chat, with `curl` and with `berth`. */
export function useChatCommand() {
  const { t } = useChatTexts();
  const { conversation } = useOpenChat();
  const { config, teamId } = useAgent();
  const { toCommand } = useAgentCall();
  const message = t('palette.sample');
  const idOf = () => (config.auth ? conversation.state.get().chatId : undefined);
  return {
    curl() {
      const id = idOf();
      const path = id === undefined ? '/chat' : `/chat?id=${encodeURIComponent(id)}`;
      return toCommand({ method: 'POST', path, body: { messages: [{ role: 'user', content: message }] } });
    },
    berth() {
      const id = idOf();
      const words = ['npx berth chat', quote(location.origin)];
      if (id !== undefined) words.push('--chat', quote(id));
      if (teamId !== undefined) words.push('--workspace', quote(teamId));
      return [...words, '-m', quote(message)].join(' ');
    },
  };
}
