import type { Scope } from '@berth/contract';
import {
  BellRing,
  CreditCard,
  Database,
  HardDrive,
  KeyRound,
  Logs,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Server,
  Share2,
  Users,
} from 'lucide-react';
import type { Rights } from '../api/use-rights.ts';
import type { ConsoleMessages } from '../text/en/index.ts';

/** The groups of the navigation, in order. */
export const NAV_GROUPS = ['nav.workloads', 'nav.observe', 'nav.account'] as const;

/** The pages in the navigation and the command palette, in order. */
export const NAV_ITEMS = [
  { group: 'nav.workloads', to: '/deployments', label: 'nav.deployments', icon: Server, keys: 'g d' },
  { group: 'nav.workloads', to: '/volumes', label: 'nav.volumes', icon: HardDrive, keys: 'g v' },
  { group: 'nav.workloads', to: '/variables', label: 'nav.shared', icon: Share2, keys: 'g h' },
  { group: 'nav.observe', to: '/logs', label: 'nav.logs', icon: Logs, keys: 'g l' },
  { group: 'nav.observe', to: '/sql', label: 'nav.sql', icon: Database, keys: 'g s' },
  { group: 'nav.observe', to: '/alerts', label: 'nav.alerts', icon: BellRing, keys: 'g r' },
  { group: 'nav.observe', to: '/audit', label: 'nav.audit', icon: ScrollText, keys: 'g a', scope: 'admin' },
  { group: 'nav.account', to: '/billing', label: 'nav.billing', icon: CreditCard, keys: 'g b' },
  { group: 'nav.account', to: '/keys', label: 'nav.keys', icon: KeyRound, keys: 'g k', scope: 'admin' },
  { group: 'nav.account', to: '/people', label: 'people.title', icon: Users, keys: 'g p' },
  { group: 'nav.account', to: '/sessions', label: 'sessions.title', icon: MonitorSmartphone, keys: 'g e' },
] as const satisfies readonly NavItem[];

/** A page in the navigation. */
export interface NavItem {
  /** Heading of the group that the page belongs to. */
  readonly group: (typeof NAV_GROUPS)[number];
  readonly to: string;
  readonly label: keyof ConsoleMessages;
  readonly icon: LucideIcon;
  readonly keys: string;
  /** Scope that the page requires. */
  readonly scope?: Scope;
}

/** Returns the pages that a person with these rights can use. */
export function allowedItems({ can }: Pick<Rights, 'can'>): readonly (typeof NAV_ITEMS)[number][] {
  return NAV_ITEMS.filter((item) => !('scope' in item) || can(item.scope));
}
