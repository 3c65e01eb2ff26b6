import { CommandPalette, type PaletteItem } from '@berth/ui';
import { useNavigate } from '@tanstack/react-router';
import { Bot, HardDrive, History, Languages, LogOut, Server, Settings, SunMoon, UserRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useConsole } from '../api/console-context.ts';
import { QUERY_KEYS } from '../api/query-keys.ts';
import { useDeployments, useMembers, useVolumes } from '../api/shared-lists.ts';
import { useRead } from '../api/use-read.ts';
import { useRights } from '../api/use-rights.ts';
import { nameWithEmail } from '../components/name-with-email.ts';
import { useLook } from '../components/use-look.ts';
import { useDeploymentActions } from '../features/deployments/use-deployment-actions.ts';
import { readStoredList } from '../state/read-stored.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { findObjects } from './find-objects.ts';
import { allowedItems } from './nav-items.ts';

interface ConsolePaletteProps {
  readonly isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  /** Returns what was typed before the palette was there. */
  takeTyped(): string;
}

const STORED_AS = 'berth.recent';
const RECENT = 5;

/** The search over pages, services, agents, volumes, people, deploys and actions. Those used last come first. */
export function ConsolePalette({ takeTyped, ...props }: ConsolePaletteProps) {
  const { t } = useConsoleTexts();
  const [typed] = useState(takeTyped);
  const [query, setQuery] = useState(typed);
  const [recent] = useState(() =>
    readStoredList(localStorage, STORED_AS, (value): value is string => typeof value === 'string'),
  );
  const actions = useActions();
  const objects = useObjects();
  const all = useMemo(() => [...actions, ...objects], [actions, objects]);
  const found = useMemo(() => {
    const last = recent.flatMap((value) => all.find((item) => item.value === value) ?? []);
    return findObjects([...last, ...all.filter(({ value }) => !recent.includes(value))], query);
  }, [all, recent, query]);
  const items = found.map((item) => ({
    ...item,
    ...(query === '' && recent.includes(item.value) && { group: t('palette.recent') }),
    isFound: true,
    onChoose() {
      const values = [item.value, ...recent.filter((value) => value !== item.value)].slice(0, RECENT);
      localStorage.setItem(STORED_AS, JSON.stringify(values));
      item.onChoose();
    },
  }));
  return <CommandPalette {...props} items={items} defaultQuery={typed} onQuery={setQuery} />;
}

/** Returns the account's objects, which are read when the palette opens first. */
function useObjects(): readonly PaletteItem[] {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const { can } = useRights();
  const actionsOf = useDeploymentActions();
  const { data: deployments } = useDeployments({ staleTime: 30_000 });
  const { data: volumes } = useVolumes();
  const { data: members } = useMembers({ enabled: can('admin') });
  const { data: deploys } = useRead(QUERY_KEYS.deploys, (client, signal) => client.get('/v1/deploys', { signal }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts change with the page
  return useMemo(
    () => [
      ...(deployments ?? []).map((deployment) => ({
        ...{ value: `deployment ${deployment.name}`, label: deployment.name },
        ...(deployment.kind === 'agent'
          ? { icon: Bot, group: t('palette.agents') }
          : { icon: Server, group: t('palette.services') }),
        actions: () => actionsOf(deployment),
        onChoose: () => void navigate({ to: '/deployments/$name', params: { name: deployment.name } }),
      })),
      ...(volumes ?? []).map(({ name }) => ({
        ...{ value: `volume ${name}`, label: name, icon: HardDrive, group: t('palette.volumes') },
        onChoose: () => void navigate({ to: '/volumes/$volume', params: { volume: name } }),
      })),
      ...(members ?? []).map(({ user_id, name, email }) => ({
        ...{
          value: `person ${user_id}`,
          label: nameWithEmail({ name, email }),
          icon: UserRound,
          group: t('palette.people'),
        },
        onChoose: () => void navigate({ to: '/people' }),
      })),
      ...(deploys?.deploys ?? []).map(({ deploy_id, deployment, revision }) => ({
        ...{ value: `deploy ${deploy_id}`, label: revision ?? `${deployment} ${deploy_id}` },
        ...{ icon: History, group: t('palette.deploys') },
        onChoose: () =>
          void navigate({
            ...{ to: '/deployments/$name', params: { name: deployment } },
            search: { tab: 'deploys', deploy: deploy_id },
          }),
      })),
    ],
    [deployments, volumes, members, deploys, navigate],
  );
}

/** Returns the pages and the actions that are possible on every page. */
function useActions(): readonly PaletteItem[] {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const { session } = useConsole();
  const rights = useRights();
  const { themes, setTheme, languages, setLanguage } = useLook();
  const group = t('palette.actions');
  return [
    ...allowedItems(rights).map(({ to, label, icon, keys }) => ({
      ...{ value: to, label: t(label), icon, keys, group: t('palette.pages') },
      onChoose: () => void navigate({ to }),
    })),
    {
      ...{ value: '/account', label: t('account.title'), icon: Settings, group: t('palette.pages') },
      onChoose: () => void navigate({ to: '/account' }),
    },
    ...themes.map(({ value, label }) => ({
      ...{ value: `theme-${value}`, label: `${t('shell.theme')}: ${label}`, icon: SunMoon, group },
      onChoose: () => setTheme(value),
    })),
    ...languages.map(({ value, label }) => ({
      ...{ value: `language-${value}`, label: `${t('shell.language')}: ${label}`, icon: Languages, group },
      onChoose: () => setLanguage(value),
    })),
    {
      ...{ value: 'sign-out', label: t('shell.signOut'), icon: LogOut, group },
      onChoose: () => void session.signOut(),
    },
  ];
}
