import { Button, CopyCommand, Field, Form, FormActions } from '@berth/ui';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { CodeNameField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Form that sets one variable. Saving starts a new revision with it. */
export function SetVariable({ name }: { readonly name: string }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const save = async () => {
    const body = { deployment_name: name, set: { [key]: value }, unset: [] };
    const answer = await client.post('/v1/env/set', { body });
    setKey('');
    setValue('');
    return answer;
  };
  const set = useAction(save, {
    refreshes: [QUERY_KEYS.deployment(name)],
    said: ({ status }) => t(`deployment.env.status.${status}`),
  });
  return (
    <Form onSubmit={() => set.mutate()} error={set.error}>
      <div className="grid gap-3 sm:grid-cols-2">
        <CodeNameField
          label={t('deployment.env.key')}
          value={key}
          onChange={setKey}
          required
          placeholder="API_KEY"
          autoCapitalize="none"
        />
        <Field
          label={t('deployment.env.value')}
          hint={t('deployment.env.valueHint')}
          type="password"
          value={value}
          onChange={setValue}
          autoComplete="new-password"
          dir="ltr"
        />
      </div>
      <FormActions>
        {/* The command leaves out the value, which would end up in the shell history. */}
        <CopyCommand
          cli={`npx berth env set ${name} ${key || 'KEY'}=value`}
          http={{
            method: 'POST',
            path: '/v1/env/set',
            body: { deployment_name: name, set: { [key || 'KEY']: 'value' } },
          }}
        />
        <Button look="primary" type="submit" isBusy={set.isPending} disabled={key === ''}>
          {t('deployment.env.set')}
        </Button>
      </FormActions>
    </Form>
  );
}
