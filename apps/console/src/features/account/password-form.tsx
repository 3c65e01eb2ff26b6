import type { Client } from '@berth/client';
import { BerthError } from '@berth/kit';
import { Button, Form, FormActions, useCommand } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { NewPasswordField, PasswordField } from '../../components/fields.tsx';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Form that changes the password. A rejected password stays in the field. */
export function PasswordForm({ email }: { readonly email: string }) {
  const { t } = useConsoleTexts();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [endsOthers, setEndsOthers] = useState(true);
  const request = { current_password: current, new_password: next, end_other_sessions: endsOthers };
  const save = async (client: Client) => {
    await client.post('/v1/auth/change-password', { body: request });
    setCurrent('');
    setNext('');
  };
  const change = useAction(save, { refreshes: [QUERY_KEYS.sessions], said: () => t('password.changed') });
  const isWrong = BerthError.is(change.error, 'bad_request');
  const body = { ...request, current_password: '…', new_password: '…' };
  const guard = useUnsavedGuard(current === '' && next === '' ? [] : [t('signIn.password')]);
  useCommand({
    label: t('signIn.password'),
    cli: `npx berth password${endsOthers ? '' : ' --keep-sessions'}`,
    http: { method: 'POST', path: '/v1/auth/change-password', body },
    secret: 'session',
  });
  return (
    <Form onSubmit={() => change.mutate()} error={isWrong ? undefined : change.error}>
      {/* The hidden email field tells password managers which account the password is for. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={t('password.current')}
        problem={isWrong ? t('password.wrong') : undefined}
        name="current_password"
        maxLength={128}
        value={current}
        onChange={(value) => {
          setCurrent(value);
          if (isWrong) change.reset();
        }}
      />
      <NewPasswordField label={t('password.new')} name="new_password" value={next} onChange={setNext} />
      <label className="flex items-center gap-2 max-sm:min-h-11">
        <input
          type="checkbox"
          checked={endsOthers}
          onChange={(event) => setEndsOthers(event.target.checked)}
          className="size-4 accent-accent-ground"
        />
        {t('password.endOthers')}
      </label>
      <FormActions>
        <Button look="primary" type="submit" isBusy={change.isPending}>
          {t('password.submit')}
        </Button>
      </FormActions>
      {guard}
    </Form>
  );
}
