import { Button, buttonClass, ErrorNote } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';

/** Page of the link that confirms a new email address. A button uses the link, because mail scanners open links. */
export function ConfirmEmailPage() {
  const { t } = useConsoleTexts();
  const { client, linkSecret: token } = useConsole();
  const queries = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => client.post('/v1/auth/email/confirm', { body: { token: token ?? '' } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  if (token === undefined) return <DoorPage title={t('join.noLink.title')} text={t('reset.noLink')} />;
  if (confirm.data) {
    return (
      <DoorPage title={t('confirmEmail.title')} text={t('confirmEmail.done', { email: confirm.data.email })}>
        <Link to="/account" className={buttonClass('primary')}>
          {t('confirmEmail.continue')}
        </Link>
      </DoorPage>
    );
  }
  return (
    <DoorPage title={t('confirmEmail.title')} text={t('confirmEmail.text')}>
      {confirm.error && <ErrorNote error={confirm.error} />}
      <Button look="primary" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
        {t('confirmEmail.submit')}
      </Button>
    </DoorPage>
  );
}
