import { ConfirmDialog, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { useUser } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Dialog that confirms leaving the account. */
export function LeaveDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { client, accountChoice } = useConsole();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const tell = useTell();
  const account = useUser().data?.account.name ?? '';
  const leave = useMutation({
    mutationFn: () => client.post('/v1/user/leave'),
    async onSuccess() {
      accountChoice.forget();
      tell(t('people.left', { account }));
      await navigate({ to: '/deployments' });
      void queries.resetQueries();
    },
  });
  return (
    <ConfirmDialog
      title={t('people.leave.title', { account })}
      description={t('people.leave.text')}
      action={t('people.leave')}
      command={{ cli: 'npx berth members leave', http: { method: 'POST', path: '/v1/user/leave' }, secret: 'session' }}
      isOpen
      isBusy={leave.isPending}
      error={leave.error}
      onConfirm={() => leave.mutate()}
      onClose={onClose}
    />
  );
}
