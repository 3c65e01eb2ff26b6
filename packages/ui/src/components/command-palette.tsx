import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import type { LucideIcon } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { BACKDROP_CLASS } from './dialog.tsx';

/** A page or an action in the command palette. */
export interface PaletteItem {
  /** Unique within the palette. */
  readonly value: string;
  /** The name that is searched and shown. */
  readonly label: string;
  readonly icon: LucideIcon;
  /** Keyboard shortcut of the item, e.g. `g d`. */
  readonly keys?: string | undefined;
  /** Kind of the item, where its name alone doesn't tell. */
  readonly hint?: string | undefined;
  /** True for an item that a search found: it is shown even if its name doesn't match the query. */
  readonly isFound?: boolean;
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

/** Items shown at most; typing finds the others. */
const SHOWN = 60;

/** The command palette: finds pages and actions by name, usable by keyboard alone. */
export function CommandPalette({ isOpen, onOpenChange, items, defaultQuery = '', onQuery }: CommandPaletteProps) {
  const { t } = useTexts<PartMessages>();
  const { contains } = Autocomplete.useFilter();
  const [query, setQuery] = useState(defaultQuery);
  const input = useRef<HTMLInputElement>(null);
  const change = useEffectEvent((text: string) => {
    setQuery(text);
    onQuery?.(text);
  });
  const typeMore = useEffectEvent((event: KeyboardEvent) => {
    if (document.activeElement === input.current || event.key.length !== 1 || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    change(query + event.key);
  });
  useEffect(() => {
    if (!isOpen) return;
    setQuery(defaultQuery);
    // The field gets the focus a moment after the palette is shown.
    const hear = (event: KeyboardEvent) => typeMore(event);
    addEventListener('keydown', hear, true);
    return () => removeEventListener('keydown', hear, true);
  }, [isOpen, defaultQuery]);
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP_CLASS} />
        <Dialog.Popup
          aria-label={t('parts.palette')}
          data-palette
          className="pop fixed inset-x-3 top-[max(1rem,12vh)] z-50 mx-auto max-w-lg overflow-hidden"
        >
          <Autocomplete.Root<PaletteItem>
            open
            inline
            items={[...items]}
            limit={SHOWN}
            autoHighlight="always"
            keepHighlight
            filter={(item, query, toText) => item.isFound === true || contains(item, query, toText)}
            value={query}
            onValueChange={change}
          >
            <Autocomplete.Input
              ref={input}
              aria-label={t('parts.palette')}
              placeholder={t('parts.paletteHint')}
              className="h-11 w-full border-b border-line bg-transparent px-4 outline-none max-sm:text-base"
            />
            <Dialog.Close className="sr-only">{t('parts.close')}</Dialog.Close>
            <Autocomplete.Empty className="px-4 text-ink-soft not-empty:py-4">
              {t('parts.paletteEmpty')}
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-[min(20rem,45dvh)] overflow-y-auto overscroll-contain p-1 empty:p-0">
              {({ value, label, icon: Icon, keys, hint, onChoose }: PaletteItem) => (
                <Autocomplete.Item
                  key={value}
                  value={{ value, label }}
                  onClick={() => {
                    onOpenChange(false);
                    onChoose();
                  }}
                  className="flex h-9 items-center gap-3 rounded px-3 data-highlighted:bg-hover max-sm:h-11"
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
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
