import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';

/** Shows a toast for a few seconds, with an Undo button where `undo` is given. */
export type Tell = (text: string, undo?: { readonly label: string; onUndo(): void }) => void;

export interface ToastProviderProps {
  /** Class name for the distance from the bottom edge, for pages with controls there. */
  readonly bottomClass?: string;
  /** How long a toast is shown, in milliseconds; 0: until it is closed. */
  readonly shownMs?: number;
  readonly children: ReactNode;
}

/** Provides toasts to its children. */
export function ToastProvider({ bottomClass = 'bottom-3', shownMs = 6_000, children }: ToastProviderProps) {
  return (
    <Toast.Provider timeout={shownMs}>
      {children}
      <Toast.Portal>
        <ToastList bottomClass={bottomClass} />
      </Toast.Portal>
    </Toast.Provider>
  );
}

export function useTell(): Tell {
  const { add, close } = Toast.useToastManager();
  return (text, undo) => {
    const id: string = add({
      title: text,
      ...(undo && {
        actionProps: {
          children: undo.label,
          onClick() {
            close(id);
            undo.onUndo();
          },
        },
      }),
    });
  };
}

function ToastList({ bottomClass }: { readonly bottomClass: string }) {
  const { t } = useTexts<PartMessages>();
  const { toasts } = Toast.useToastManager();
  return (
    <Toast.Viewport
      aria-label={t('parts.notifications')}
      // Dialogs of phones and the panels of deploys and uploads have their buttons where toasts are otherwise.
      className={`fixed inset-x-3 z-50 mx-auto flex max-w-sm flex-col gap-2 max-xl:[body:has(.dialog-backdrop,[data-dock]:not(:empty))_&]:top-3 max-xl:[body:has(.dialog-backdrop,[data-dock]:not(:empty))_&]:bottom-auto ${bottomClass}`}
    >
      {toasts.map((toast) => (
        <Toast.Root
          key={toast.id}
          toast={toast}
          className="pop px-3 py-2.5 data-starting-style:translate-y-2 data-ending-style:translate-y-2"
        >
          <Toast.Content className="flex items-center gap-3">
            <Toast.Title className="min-w-0 flex-1 text-sm break-words" />
            <Toast.Action className="-my-1 rounded px-2 py-1 font-medium text-accent hover:bg-hover max-sm:-my-2 max-sm:py-3" />
            <Toast.Close
              aria-label={t('parts.close')}
              className="-me-1.5 -my-1 inline-flex size-7 items-center justify-center rounded text-ink-soft hover:bg-hover hover:text-ink max-sm:-my-2.5 max-sm:size-11"
            >
              <X aria-hidden className="size-4" />
            </Toast.Close>
          </Toast.Content>
        </Toast.Root>
      ))}
    </Toast.Viewport>
  );
}
