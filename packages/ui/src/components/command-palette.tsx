import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import { type KeyboardEvent as FieldKeyEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { BACKDROP_CLASS } from './dialog.tsx';
import type { MenuItem } from './menu.tsx';

/** A page, an object or an action in the command palette. */
export interface PaletteItem {
  /** Unique within the palette. */
  readonly value: string;
  /** The name that is searched and shown. */
  readonly label: string;
  readonly icon: LucideIcon;
  /** Heading above the items of its kind. The kind of the first item comes first. */
  readonly group?: string | undefined;
  /** Keyboard shortcut of the item, e.g. `g d`. */
  readonly keys?: string | undefined;
  /** Kind of the item, where its name alone doesn't tell. */
  readonly hint?: string | undefined;
  /** True for an item that a search found: it is shown even if its name doesn't match the query. */
  readonly isFound?: boolean;
  /** Returns what else can be done with the object. The palette lists it after the right arrow key. */
  actions?(): readonly MenuItem[];
  onChoose(): void;
}

export interface CommandPaletteProps {
  readonly isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  readonly items: readonly PaletteItem[];
  /** Text in the field when the palette opens. */
  readonly defaultQuery?: string;
  /** Called with the query, to search for further items. */
  onQuery?(text: string): void;
}

interface Group {
  readonly value: string;
  readonly items: readonly PaletteItem[];
}

/** Items shown at most; typing finds the others. */
const SHOWN = 60;

/** The command palette: finds pages, objects and actions by name, usable by keyboard alone. */
export function CommandPalette({ isOpen, onOpenChange, items, defaultQuery = '', onQuery }: CommandPaletteProps) {
  const { t, direction } = useTexts<PartMessages>();
  const { contains } = Autocomplete.useFilter();
  const [query, setQuery] = useState(defaultQuery);
  /** The object whose actions are listed, and the query that found it. */
  const [object, setObject] = useState<{ readonly item: PaletteItem; readonly query: string }>();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const change = useEffectEvent((text: string) => {
    setQuery(text);
    if (!object) onQuery?.(text);
  });
  const typeMore = useEffectEvent((event: KeyboardEvent) => {
    if (document.activeElement === input.current || event.key.length !== 1 || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    change(query + event.key);
  });
  useEffect(() => {
    if (!isOpen) return;
    setQuery(defaultQuery);
    setObject(undefined);
    // The field gets the focus a moment after the palette is shown.
    const hear = (event: KeyboardEvent) => typeMore(event);
    addEventListener('keydown', hear, true);
    return () => removeEventListener('keydown', hear, true);
  }, [isOpen, defaultQuery]);
  const enter = (item: PaletteItem) => {
    setObject({ item, query });
    setQuery('');
    input.current?.focus();
  };
  const leave = () => {
    setQuery(object?.query ?? '');
    setObject(undefined);
    input.current?.focus();
  };
  const onKeyDown = (event: FieldKeyEvent<HTMLInputElement>) => {
    const [inward, outward] = direction === 'rtl' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const highlighted = list.current?.querySelector('[data-highlighted]')?.getAttribute('data-value');
    const item = items.find((one) => one.value === highlighted);
    if (!object && event.key === inward && selectionStart === value.length && item?.actions) {
      event.preventDefault();
      enter(item);
    } else if (object && selectionEnd === 0 && (event.key === outward || event.key === 'Backspace')) {
      event.preventDefault();
      leave();
    }
  };
  const shown = object ? toActionItems(object.item) : items;
  const isGrouped = shown.some(({ group }) => group !== undefined);
  const row = ({ value, label, icon: Icon, keys, hint, actions, onChoose }: PaletteItem) => (
    <Autocomplete.Item
      key={value}
      value={{ value, label }}
      data-value={value}
      aria-description={actions ? t('parts.paletteActionsHint') : undefined}
      onClick={() => {
        onOpenChange(false);
        onChoose();
      }}
      className="group/item flex h-9 items-center gap-3 rounded px-3 data-highlighted:bg-hover max-sm:h-11"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-soft" />
      <span dir="auto" className="min-w-0 flex-1 truncate text-start" title={label}>
        {label}
      </span>
      {hint !== undefined && <span className="shrink-0 text-xs text-ink-soft">{hint}</span>}
      {keys !== undefined && (
        <kbd dir="ltr" className="font-mono text-xs text-ink-soft max-sm:hidden">
          {keys}
        </kbd>
      )}
      {actions && (
        // For pointers; the arrow key does the same. A control within an option would be out of reach of screen readers.
        <span
          aria-hidden
          title={t('parts.paletteActions', { name: label })}
          onClick={(event) => {
            event.stopPropagation();
            enter({ value, label, icon: Icon, actions, onChoose });
          }}
          className="-me-2 flex size-8 shrink-0 items-center justify-center rounded text-ink-soft opacity-0 hover:bg-active group-data-highlighted/item:opacity-100 pointer-coarse:opacity-100 max-sm:size-11"
        >
          <ChevronRight className="size-4 rtl:-scale-x-100" />
        </span>
      )}
    </Autocomplete.Item>
  );
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP_CLASS} />
        <Dialog.Popup
          aria-label={t('parts.palette')}
          data-palette
          initialFocus={input}
          className="pop fixed inset-x-3 top-[max(1rem,12vh)] z-50 mx-auto max-w-lg overflow-hidden"
        >
          <Autocomplete.Root<PaletteItem>
            open
            inline
            items={(isGrouped ? toGroups(shown) : [...shown]) as PaletteItem[]}
            limit={SHOWN}
            autoHighlight="always"
            keepHighlight
            filter={(item, query, toText) => item.isFound === true || contains(item, query, toText)}
            value={query}
            onValueChange={change}
          >
            <div className="flex items-center border-b border-line">
              {object && (
                <button
                  type="button"
                  aria-label={t('parts.back')}
                  onClick={leave}
                  className="ms-2 flex h-8 max-w-[50%] shrink-0 items-center gap-1 rounded bg-hover px-2 font-medium max-sm:h-11"
                >
                  <ChevronLeft aria-hidden className="size-4 shrink-0 rtl:-scale-x-100" />
                  <bdi className="truncate">{object.item.label}</bdi>
                </button>
              )}
              <Autocomplete.Input
                ref={input}
                aria-label={t('parts.palette')}
                placeholder={object ? t('parts.paletteActions', { name: object.item.label }) : t('parts.paletteHint')}
                onKeyDown={onKeyDown}
                className="h-11 w-full min-w-0 bg-transparent px-4 outline-none max-sm:text-base"
              />
            </div>
            <Dialog.Close className="sr-only">{t('parts.close')}</Dialog.Close>
            <Autocomplete.Empty className="px-4 text-ink-soft not-empty:py-4">
              {t('parts.paletteEmpty')}
            </Autocomplete.Empty>
            <Autocomplete.List
              ref={list}
              className="max-h-[min(20rem,45dvh)] overflow-y-auto overscroll-contain p-1 empty:p-0"
            >
              {isGrouped
                ? ({ value, items: members }: Group) => (
                    <Autocomplete.Group key={value} items={members}>
                      <Autocomplete.GroupLabel className="px-3 pt-2 pb-1 text-ink-soft text-xs">
                        {value}
                      </Autocomplete.GroupLabel>
                      <Autocomplete.Collection>{row}</Autocomplete.Collection>
                    </Autocomplete.Group>
                  )
                : row}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Returns the items by their headings, in the order of each group's first item. */
function toGroups(items: readonly PaletteItem[]): readonly Group[] {
  const groups = Map.groupBy(items, ({ group }) => group ?? '');
  return [...groups].map(([value, members]) => ({ value, items: members }));
}

/** Returns what can be done with an object as items. */
function toActionItems({ actions }: PaletteItem): readonly PaletteItem[] {
  return (actions?.() ?? []).flatMap(({ label, icon, onChoose }) =>
    icon ? [{ value: `action ${label}`, label, icon, onChoose }] : [],
  );
}
