import { BerthError } from '@berth/kit';
import { Button, CopyCommand, Field, Form, FormActions, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Form that changes the password. A rejected password stays in the field. */
export function PasswordForm({ email }: { readonly email: string }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [endsOthers, setEndsOthers] = useState(true);
  const change = useMutation({
    mutationFn: () =>
      client.post('/v1/auth/change-password', {
        body: { current_password: current, new_password: next, end_other_sessions: endsOthers },
      }),
    async onSuccess() {
      setCurrent('');
      setNext('');
      tell(t('password.changed'));
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.sessions });
    },
  });
  const isWrong = BerthError.is(change.error, 'bad_request');
  const body = { current_password: '…', new_password: '…', end_other_sessions: endsOthers };
  return (
    <Form onSubmit={() => change.mutate()} error={isWrong ? undefined : change.error}>
      {/* The hidden email field tells password managers which account the password is for. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <Field
        label={t('password.current')}
        problem={isWrong ? t('password.wrong') : undefined}
        type="password"
        name="current_password"
        autoComplete="current-password"
        required
        maxLength={128}
        dir="ltr"
        value={current}
        onChange={(value) => {
          setCurrent(value);
          if (isWrong) change.reset();
        }}
      />
      <Field
        label={t('password.new')}
        hint={t('firstRun.passwordHint')}
        type="password"
        name="new_password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={128}
        dir="ltr"
        value={next}
        onChange={setNext}
      />
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
        <CopyCommand
          cli={`npx berth password${endsOthers ? '' : ' --keep-sessions'}`}
          http={{ method: 'POST', path: '/v1/auth/change-password', body }}
          secret="session"
        />
        <Button look="primary" type="submit" isBusy={change.isPending}>
          {t('password.submit')}
        </Button>
      </FormActions>
    </Form>
  );
}
