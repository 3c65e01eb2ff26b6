import { Ellipsis, Terminal } from 'lucide-react';
import { toCurl } from '../commands/to-curl.ts';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import type { Command } from './command-scope.tsx';
import { IconButton } from './icon-button.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { useCopy } from './use-copy.ts';

export interface PageMenuProps {
  /** Accessible name of the button. "More actions" by default; a row names its object, e.g. "Actions for shop". */
  readonly label?: string;
  /** Actions that are used less often than those with a button of their own. */
  readonly items?: readonly MenuItem[];
  /** The commands equivalent to the page, dialog or row, each offered as a CLI command and as curl. */
  readonly commands?: readonly Command[];
}

/**
 * The overflow menu ("⋯") of a page, a dialog or a table row, which has at most one: rarely used actions first, then "Copy
 * CLI command" and "Copy as curl", then what deletes. Renders nothing if it has no entries.
 *
 * ```tsx
 * <PageMenu
 *   label={t('shell.actionsFor', { name })}
 *   items={[{ label: t('deployment.delete'), icon: Trash2, isDanger: true, onChoose: () => setDeleting(true) }]}
 *   commands={[{ cli: `npx berth get ${name}`, http: { method: 'GET', path: `/v1/deployment/${name}` } }]}
 * />
 * ```
 */
export function PageMenu({ label, items = [], commands = [] }: PageMenuProps) {
  const { t } = useTexts<PartMessages>();
  const copy = useCopy();
  const copied = commands.flatMap(({ label: heading, cli, http, secret }): MenuItem[] => {
    const toItem = (entry: string, text: () => string) => ({
      ...{ label: entry, icon: Terminal, onChoose: () => void copy(text()) },
    });
    const entries = [
      ...(cli === undefined ? [] : [toItem(t('parts.copyCli'), () => cli)]),
      toItem(t('parts.copyCurl'), () => toCurl(http, location.origin, secret)),
    ];
    return entries.map((entry, at) => ({
      ...entry,
      startsGroup: at === 0,
      ...(at === 0 && commands.length > 1 && heading !== undefined && { heading }),
    }));
  });
  const all = [
    ...items.filter(({ isDanger }) => !isDanger),
    ...copied,
    ...items.filter(({ isDanger }) => isDanger).map((item, at) => ({ ...item, startsGroup: at === 0 })),
  ];
  if (all.length === 0) return null;
  return <Menu trigger={<IconButton icon={Ellipsis} label={label ?? t('parts.more')} />} items={all} />;
}
