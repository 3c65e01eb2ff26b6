import { BerthError } from '@berth/kit';
import { Button, CopyCommand, Dialog, ErrorNote, Field } from '@berth/web';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const PATH = '/v1/user/subscription/checkout';

/** Leads to the page where a plan is bought. The API lists no plans: their names are the operator's to tell. */
export function ChangePlanDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { transport } = useConsole();
  const [plan, setPlan] = useState('');
  const buy = useMutation({
    mutationFn: () => transport.json<{ url: string }>({ method: 'POST', path: PATH, body: { plan } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Dialog title={t('billing.buy.title')} description={t('billing.buy.text')} isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          buy.mutate();
        }}
      >
        <Field
          label={t('billing.buy.name')}
          hint={t('billing.buy.hint')}
          value={plan}
          onChange={setPlan}
          required
          autoComplete="off"
          dir="ltr"
        />
        {buy.error && (
          <ErrorNote error={BerthError.is(buy.error, 'not_available') ? t('billing.noPayments') : buy.error} />
        )}
        <div className="flex justify-end gap-2">
          <CopyCommand http={{ method: 'POST', path: PATH, body: { plan: plan || 'team' } }} />
          <Button look="primary" type="submit" isBusy={buy.isPending} disabled={plan === ''}>
            {t('billing.buy.open')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
