import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import type { LucideIcon } from 'lucide-react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { BACKDROP_CLASS } from './dialog.tsx';

/** Something that can be gone to or done from anywhere. */
export interface PaletteItem {
  /** Unlike all others. */
  readonly value: string;
  /** What is searched and shown. */
  readonly label: string;
  readonly icon: LucideIcon;
  /** Keys that do the same, e.g. `g d`. */
  readonly keys?: string | undefined;
  onChoose(): void;
}

export interface CommandPaletteProps {
  readonly isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  readonly items: readonly PaletteItem[];
}

/** Everything by its name, with the keyboard alone. */
export function CommandPalette({ isOpen, onOpenChange, items }: CommandPaletteProps) {
  const { t } = useTexts<PartMessages>();
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP_CLASS} />
        <Dialog.Popup
          aria-label={t('parts.palette')}
          className="pop fixed inset-x-3 top-[max(1rem,12vh)] z-50 mx-auto max-w-lg overflow-hidden"
        >
          <Autocomplete.Root open inline items={[...items]} autoHighlight="always" keepHighlight>
            <Autocomplete.Input
              aria-label={t('parts.palette')}
              placeholder={t('parts.paletteHint')}
              className="h-11 w-full border-b border-line bg-transparent px-4 outline-none max-sm:text-base"
            />
            <Dialog.Close className="sr-only">{t('parts.close')}</Dialog.Close>
            <Autocomplete.Empty className="px-4 text-ink-soft not-empty:py-4">
              {t('parts.paletteEmpty')}
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-80 overflow-y-auto p-1 empty:p-0">
              {({ value, label, icon: Icon, keys, onChoose }: PaletteItem) => (
                <Autocomplete.Item
                  key={value}
                  value={{ value, label }}
                  onClick={() => {
                    onOpenChange(false);
                    onChoose();
                  }}
                  className="flex h-9 items-center gap-3 rounded px-3 data-highlighted:bg-hover max-sm:h-11"
                >
                  <Icon aria-hidden className="size-4 text-ink-soft" />
                  <span className="flex-1 truncate">{label}</span>
                  {keys !== undefined && (
                    <kbd dir="ltr" className="font-mono text-xs text-ink-soft">
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
