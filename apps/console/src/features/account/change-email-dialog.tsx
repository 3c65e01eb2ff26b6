import { Button, Dialog, Field, Form, FormActions, quote } from '@berth/ui';
import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Dialog that mails a confirmation link to a new email address. */
export function ChangeEmailDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const [email, setEmail] = useState('');
  const send = useAction((client) => client.post('/v1/user/email', { body: { email } }), {
    said: () => t('account.email.sent', { email }),
    onDone: onClose,
  });
  return (
    <Dialog
      title={t('account.email.title')}
      description={t('account.email.text')}
      command={{
        cli: `npx berth email ${quote(email || 'you@example.com')}`,
        http: { method: 'POST', path: '/v1/user/email', body: { email } },
        secret: 'session',
      }}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => send.mutate()} error={send.error}>
        <Field
          label={t('account.email.new')}
          name="email"
          type="email"
          dir="ltr"
          required
          autoComplete="email"
          value={email}
          onChange={setEmail}
        />
        <FormActions>
          <Button look="primary" type="submit" isBusy={send.isPending}>
            {t('account.email.send')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
