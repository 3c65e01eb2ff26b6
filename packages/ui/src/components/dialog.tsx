import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { classNames } from './class-names.ts';
import { type Command, CommandScope, useScopedCommands } from './command-scope.tsx';
import { PageMenu } from './page-menu.tsx';

export interface DialogProps {
  readonly title: string;
  readonly description?: string | undefined;
  readonly isOpen: boolean;
  /** Called on Escape, on the close button, and on a click outside. */
  onClose(): void;
  readonly children: ReactNode;
  /** False for a dialog that must be answered: no close button, and a click outside does nothing. */
  readonly canClose?: boolean;
  readonly isWide?: boolean;
  /** The equivalent command, offered in the dialog's menu with those of its content (`useCommand`). */
  readonly command?: Command | undefined;
}

export const BACKDROP_CLASS =
  'dialog-backdrop fixed inset-0 z-40 bg-black/40 transition-opacity duration-150 data-starting-style:opacity-0 data-ending-style:opacity-0';
/** On phones the dialog is a sheet at the bottom edge, above the on-screen keyboard. */
const SHEET_CLASS =
  'max-sm:inset-x-0 max-sm:top-auto max-sm:bottom-(--keyboard-height,0px) max-sm:max-h-[85dvh] max-sm:rounded-b-none max-sm:border-x-0 max-sm:border-b-0 max-sm:pb-[max(1.25rem,env(safe-area-inset-bottom))] max-sm:data-starting-style:translate-y-6 max-sm:data-ending-style:translate-y-6';
export const DIALOG_CLASS = `pop fixed inset-x-3 top-[max(1rem,12vh)] z-40 mx-auto max-h-[80vh] overflow-y-auto overscroll-contain rounded-xl p-5 ${SHEET_CLASS}`;

/** Focuses the first field of a dialog: a person opens a dialog to fill it in, not to close it. On touch, a field would open the keyboard. */
function firstField(popup: HTMLElement | null, opened: string): HTMLElement | null {
  const field = popup?.querySelector<HTMLElement>('input:not([type=file],:disabled), textarea, [role=combobox]');
  return (opened !== 'touch' && field) || popup;
}

/** A modal dialog. It traps the focus and returns it when it closes. */
export function Dialog(props: DialogProps) {
  const { title, description, isOpen, onClose, children, canClose = true, isWide = false, command } = props;
  const { t } = useTexts<PartMessages>();
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => !open && canClose && onClose()}
      disablePointerDismissal={!canClose}
    >
      <Base.Portal>
        <Base.Backdrop className={BACKDROP_CLASS} />
        <Base.Popup
          ref={popup}
          initialFocus={(opened) => firstField(popup.current, opened)}
          className={classNames(DIALOG_CLASS, 'outline-none', isWide ? 'max-w-2xl' : 'max-w-md')}
        >
          <CommandScope>
            <div className="mb-3 flex items-start gap-1">
              <Base.Title className="me-auto text-base font-semibold">{title}</Base.Title>
              <DialogMenu command={command} />
              {canClose && (
                <Base.Close
                  aria-label={t('parts.close')}
                  className="-m-1 inline-flex size-8 shrink-0 max-sm:-m-2.5 max-sm:size-11 items-center justify-center rounded-md text-ink-soft transition-colors hover:bg-hover hover:text-ink"
                >
                  <X aria-hidden className="size-4" />
                </Base.Close>
              )}
            </div>
            {description !== undefined && (
              <Base.Description className="mb-4 text-ink-soft">{description}</Base.Description>
            )}
            {children}
          </CommandScope>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The overflow menu at the top of a dialog, as high as its close button. */
function DialogMenu({ command }: { readonly command: Command | undefined }) {
  const commands = [...(command ? [command] : []), ...useScopedCommands()];
  return (
    <span className="-my-1 shrink-0 max-sm:-my-2.5">
      <PageMenu commands={commands} />
    </span>
  );
}
