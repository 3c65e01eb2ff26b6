import { BerthError } from '@berth/kit';
import { Button, Dialog, Field, Form } from '@berth/ui';
import { useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { AddPasskey } from './use-add-passkey.ts';

/** Dialog that asks for the password before a passkey is added, when the last sign-in is too long ago. */
export function ConfirmPasswordDialog({ add }: { readonly add: AddPasskey }) {
  const { t } = useConsoleTexts();
  const [password, setPassword] = useState('');
  const isWrong = BerthError.is(add.error, 'invalid');
  return (
    <Dialog title={t('passkeys.confirm.title')} description={t('passkeys.confirm.text')} isOpen onClose={add.reset}>
      <Form onSubmit={() => add.mutate(password)}>
        <Field
          label={t('signIn.password')}
          problem={isWrong ? t('password.wrong') : undefined}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          maxLength={128}
          dir="ltr"
          value={password}
          onChange={setPassword}
        />
        <Button look="primary" type="submit" isBusy={add.isPending} className="self-end">
          {t('passkeys.confirm.submit')}
        </Button>
      </Form>
    </Dialog>
  );
}
