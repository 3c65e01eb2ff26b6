import { ConfirmDialog } from '@berth/ui';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/**
 * Asks before the person leaves a form with unsaved changes: for another tab of the page, another page, or another
 * site. `changes` names what would be lost; it is empty if nothing is. Returns the dialog to render.
 */
export function useUnsavedGuard(changes: readonly string[]): ReactNode {
  const { t, language } = useConsoleTexts();
  const isDirty = changes.length > 0;
  const { status, proceed, reset } = useBlocker({
    withResolver: true,
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    // Other parameters, such as the time range of plots, keep the form.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname || tabOf(current) !== tabOf(next),
  });
  if (status !== 'blocked') return null;
  const names = new Intl.ListFormat(language, { type: 'conjunction' }).format(changes);
  return (
    <ConfirmDialog
      isOpen
      title={t('unsaved.title')}
      description={t('unsaved.text', { names })}
      action={t('unsaved.discard')}
      cancel={t('unsaved.keep')}
      onConfirm={proceed}
      onClose={reset}
    />
  );
}

function tabOf({ search }: { readonly search: object }): unknown {
  return 'tab' in search ? search.tab : undefined;
}
