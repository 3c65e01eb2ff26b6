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
import type { ConsoleMessages } from '../text/en/index.ts';

/** The pages that the navigation and the command palette lead to, in their order. */
export const NAV_ITEMS = [
  { to: '/deployments', label: 'nav.deployments', icon: Server, keys: 'g d' },
  { to: '/logs', label: 'nav.logs', icon: Logs, keys: 'g l' },
  { to: '/sql', label: 'nav.sql', icon: Database, keys: 'g s' },
  { to: '/volumes', label: 'nav.volumes', icon: HardDrive, keys: 'g v' },
  { to: '/billing', label: 'nav.billing', icon: CreditCard, keys: 'g b' },
  { to: '/keys', label: 'nav.keys', icon: KeyRound, keys: 'g k' },
  { to: '/people', label: 'people.title', icon: Users, keys: 'g p' },
  { to: '/sessions', label: 'sessions.title', icon: MonitorSmartphone, keys: 'g e' },
  { to: '/audit', label: 'nav.audit', icon: ScrollText, keys: 'g a' },
] as const satisfies readonly {
  readonly to: string;
  readonly label: keyof ConsoleMessages;
  readonly icon: LucideIcon;
  readonly keys: string;
}[];
