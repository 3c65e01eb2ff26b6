import { Menu as Base } from '@base-ui/react/menu';
import { Check, type LucideIcon } from 'lucide-react';
import type { ReactElement } from 'react';

export interface MenuItem {
  readonly label: string;
  readonly icon?: LucideIcon;
  /** True for the item of its group that is selected. */
  readonly isChosen?: boolean;
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
          <Base.Popup className="pop max-h-(--available-height) min-w-44 overflow-y-auto p-1">
            {items.map(({ label, icon: Icon, isChosen, onChoose }) => (
              <Base.Item
                key={label}
                onClick={onChoose}
                aria-current={isChosen ? 'true' : undefined}
                className="flex h-8 items-center gap-2 rounded px-2 data-highlighted:bg-hover max-sm:h-11"
              >
                {Icon && <Icon aria-hidden className="size-4 text-ink-soft" />}
                <span className="flex-1">{label}</span>
                {isChosen && <Check aria-hidden className="size-3.5" />}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
