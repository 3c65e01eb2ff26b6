import type { Scope } from '@berth/contract';
import {
  CreditCard,
  Database,
  HardDrive,
  KeyRound,
  Logs,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Server,
  Users,
} from 'lucide-react';
import type { Rights } from '../api/use-rights.ts';
import type { ConsoleMessages } from '../text/en/index.ts';

/** The pages that the navigation and the command palette lead to, in their order. */
export const NAV_ITEMS = [
  { to: '/deployments', label: 'nav.deployments', icon: Server, keys: 'g d' },
  { to: '/logs', label: 'nav.logs', icon: Logs, keys: 'g l' },
  { to: '/sql', label: 'nav.sql', icon: Database, keys: 'g s' },
  { to: '/volumes', label: 'nav.volumes', icon: HardDrive, keys: 'g v' },
  { to: '/billing', label: 'nav.billing', icon: CreditCard, keys: 'g b' },
  { to: '/keys', label: 'nav.keys', icon: KeyRound, keys: 'g k', scope: 'admin' },
  { to: '/people', label: 'people.title', icon: Users, keys: 'g p' },
  { to: '/sessions', label: 'sessions.title', icon: MonitorSmartphone, keys: 'g e' },
  { to: '/audit', label: 'nav.audit', icon: ScrollText, keys: 'g a', scope: 'admin' },
] as const satisfies readonly NavItem[];

/** A page that the navigation leads to. */
export interface NavItem {
  readonly to: string;
  readonly label: keyof ConsoleMessages;
  readonly icon: LucideIcon;
  readonly keys: string;
  /** What one has to be allowed to for the page to be of use. */
  readonly scope?: Scope;
}

/** Those that are of use to somebody. */
export function allowedItems({ can }: Pick<Rights, 'can'>): readonly (typeof NAV_ITEMS)[number][] {
  return NAV_ITEMS.filter((item) => !('scope' in item) || can(item.scope));
}
