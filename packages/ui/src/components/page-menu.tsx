import { Ellipsis, Terminal } from 'lucide-react';
import { toCurl } from '../commands/to-curl.ts';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { type CopyCommandProps, useCopy } from './copy-command.tsx';
import { IconButton } from './icon-button.tsx';
import { Menu, type MenuItem } from './menu.tsx';

export interface PageMenuProps {
  /** Accessible name of the button. "More actions" by default; a row names its object, e.g. "Actions for shop". */
  readonly label?: string;
  /** Actions that are used less often than those with a button of their own. Deleting comes last, with `isDanger`. */
  readonly items?: readonly MenuItem[];
  /** The command equivalent to the page or row, offered as a CLI command and as curl. */
  readonly command?: CopyCommandProps | undefined;
}

/**
 * The overflow menu ("⋯") of a page or a table row. A page has at most one, at the end of the actions in `PageHead`:
 * rarely used actions first, then "Copy CLI command" and "Copy as curl". Renders nothing if it has no entries.
 *
 * ```tsx
 * <PageMenu
 *   items={[{ label: t('deployment.delete'), icon: Trash2, isDanger: true, onChoose: () => setDeleting(true) }]}
 *   command={{ cli: `npx berth get ${name}`, http: { method: 'GET', path: `/v1/deployment/${name}` } }}
 * />
 * ```
 */
export function PageMenu({ label, items = [], command }: PageMenuProps) {
  const { t } = useTexts<PartMessages>();
  const copy = useCopy();
  const toCommand = (text: () => string, entry: string, isFirst: boolean): MenuItem => ({
    ...{ label: entry, icon: Terminal, startsGroup: isFirst && items.length > 0 },
    onChoose: () => void copy(text()),
  });
  const cli = command?.cli;
  const all = [
    ...items,
    ...(cli === undefined ? [] : [toCommand(() => cli, t('parts.copyCli'), true)]),
    ...(command === undefined
      ? []
      : [
          toCommand(
            () => toCurl(command.http, location.origin, command.secret),
            t('parts.copyCurl'),
            cli === undefined,
          ),
        ]),
  ];
  if (all.length === 0) return null;
  return <Menu trigger={<IconButton icon={Ellipsis} label={label ?? t('parts.more')} />} items={all} />;
}
