import { Menu as Base } from '@base-ui/react/menu';
import { Check, type LucideIcon } from 'lucide-react';
import { Fragment, type ReactElement } from 'react';
import { classNames } from './class-names.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: LucideIcon;
  /** True for the item of its group that is selected. */
  readonly isChosen?: boolean;
  /** True for an item that deletes or removes something. */
  readonly isDanger?: boolean;
  /** True for an item with a line above, which separates it from the items of another kind. */
  readonly startsGroup?: boolean;
  /** Heading of the group that the item starts. */
  readonly heading?: string;
  onChoose(): void;
}

export interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement;
  readonly items: readonly MenuItem[];
}

/** A menu of actions behind one button. */
export function Menu({ trigger, items }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="pop max-h-(--available-height) min-w-44 max-w-(--available-width) overflow-y-auto p-1">
            {toGroups(items).map((group, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a menu's groups have no other identity
              <Fragment key={at}>
                {at > 0 && <Base.Separator className="-mx-1 my-1 h-px bg-line" />}
                <Base.Group>
                  {group[0]?.heading !== undefined && (
                    <Base.GroupLabel className="max-w-72 truncate px-2 py-1 text-ink-soft text-xs">
                      <bdi>{group[0].heading}</bdi>
                    </Base.GroupLabel>
                  )}
                  {group.map((item) => (
                    <Item key={item.label} {...item} />
                  ))}
                </Base.Group>
              </Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function toGroups(items: readonly MenuItem[]): readonly (readonly MenuItem[])[] {
  const groups: MenuItem[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && !item.startsGroup) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

function Item({ label, icon: Icon, isChosen, isDanger = false, onChoose }: MenuItem) {
  return (
    <Base.Item
      onClick={onChoose}
      aria-current={isChosen ? 'true' : undefined}
      className={classNames(
        'flex h-8 items-center gap-2 rounded px-2 data-highlighted:bg-hover max-sm:h-11',
        isDanger && 'text-bad',
      )}
    >
      {Icon && <Icon aria-hidden className={classNames('size-4 shrink-0', !isDanger && 'text-ink-soft')} />}
      <span className="flex-1">{label}</span>
      {isChosen && <Check aria-hidden className="size-3.5" />}
    </Base.Item>
  );
}
