import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import { type ReactNode, useRef, useState } from 'react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { Button, type ButtonLook } from './button.tsx';
import type { Command } from './command-scope.tsx';
import { BACKDROP_CLASS, DIALOG_CLASS } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { Field } from './field.tsx';
import { PageMenu } from './page-menu.tsx';

export interface ConfirmDialogProps {
  readonly title: string;
  /** Says what will happen and what can't be undone. */
  readonly description: string;
  /** Label of the confirming button: a verb. */
  readonly action: string;
  /** Label of the button that closes the dialog; "Cancel" by default. */
  readonly cancel?: string;
  /** Text that must be typed before an irreversible action. */
  readonly typedName?: string | undefined;
  /** `danger` by default; another look where nothing is lost. */
  readonly look?: ButtonLook;
  /** The equivalent command, offered in the dialog's menu. */
  readonly command?: Command | undefined;
  readonly isOpen: boolean;
  readonly isBusy?: boolean;
  /** False while something that must be read first is loading; true by default. */
  readonly isReady?: boolean;
  readonly error?: unknown;
  onConfirm(): void;
  onClose(): void;
  /** Shown below the description. */
  readonly children?: ReactNode;
}

/** Asks for confirmation before something is destroyed. `Cancel` has the initial focus, or the field of the typed name. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    description,
    action,
    cancel,
    look = 'danger',
    typedName,
    command,
    isOpen,
    isBusy = false,
    isReady = true,
    error,
    onConfirm,
    onClose,
    children,
  } = props;
  const { t } = useTexts<PartMessages>();
  const [typed, setTyped] = useState('');
  const popupRef = useRef<HTMLDivElement>(null);
  const cancelRef = useRef<HTMLButtonElement>(null);
  const close = () => {
    setTyped('');
    onClose();
  };
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP_CLASS} />
        <Base.Popup
          className={`${DIALOG_CLASS} max-w-md`}
          // The menu of commands comes first in the document, but nobody opened the dialog for it.
          ref={popupRef}
          initialFocus={() => popupRef.current?.querySelector('input') ?? cancelRef.current}
        >
          <div className="mb-2 flex items-start gap-1">
            <Base.Title className="me-auto min-w-0 text-base font-semibold">{title}</Base.Title>
            <span className="-m-1 shrink-0 max-sm:-m-2.5">{command && <PageMenu commands={[command]} />}</span>
          </div>
          <Base.Description className="mb-4 text-ink-soft">{description}</Base.Description>
          <div className="flex flex-col gap-4">
            {children}
            {typedName !== undefined && (
              <Field
                label={t('parts.typeToConfirm', { name: typedName })}
                value={typed}
                onChange={setTyped}
                autoComplete="off"
                spellCheck={false}
                dir="ltr"
              />
            )}
            {error !== undefined && error !== null && <ErrorNote error={error} />}
            <div className="flex flex-wrap items-center justify-end gap-2">
              <Base.Close ref={cancelRef} render={<Button>{cancel ?? t('parts.cancel')}</Button>} />
              <Button
                look={look}
                isBusy={isBusy}
                disabled={!isReady || (typedName !== undefined && typed !== typedName)}
                onClick={onConfirm}
              >
                {action}
              </Button>
            </div>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
