import type { Client } from '@berth/client';
import { ConfirmDialog, type ConfirmDialogProps } from '@berth/ui';
import { type ActionOptions, useAction } from '../api/use-action.ts';

interface ConfirmActionProps<Answer>
  extends Omit<ConfirmDialogProps, 'isOpen' | 'isBusy' | 'error' | 'onConfirm'>,
    ActionOptions<Answer> {
  run(client: Client): Promise<Answer>;
}

/** Dialog that asks before `run`, shows its error, and closes when it has succeeded. */
export function ConfirmAction<Answer>(props: ConfirmActionProps<Answer>) {
  const { run, refreshes, said, onDone, onClose, ...dialog } = props;
  const action = useAction(run, {
    refreshes,
    said,
    async onDone(answer) {
      await onDone?.(answer);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      {...dialog}
      isOpen
      isBusy={action.isPending}
      error={action.error}
      onConfirm={() => action.mutate()}
      onClose={onClose}
    />
  );
}
