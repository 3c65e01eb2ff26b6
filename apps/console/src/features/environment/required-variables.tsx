import type { Client } from '@berth/client';
import { BerthError } from '@berth/kit';
import { Button, ErrorNote, Field, Form, FormActions, useCommand } from '@berth/ui';
import { type ReactNode, useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** State of the variables that a source's `berth.json` requires. */
export interface RequiredVariables {
  /** Names of the variables to set; undefined until they are known. */
  readonly missing: readonly string[] | undefined;
  /** False until all required variables are known to be set. */
  readonly areSet: boolean;
  /** Form for the missing variables. */
  readonly form: ReactNode;
}

/**
 * Checks which variables of `required` the deployment `name` lacks. Waits for `isNameKnown`, because the name may still
 * be being typed.
 */
export function useRequiredVariables(
  name: string,
  required: readonly string[] = [],
  isNameKnown = true,
): RequiredVariables {
  const read = (client: Client, signal: AbortSignal) =>
    client.get('/v1/env/list', { params: { query: { name } }, signal }).catch((failure: unknown) => {
      // No deployment has this name, so it has no variables.
      if (BerthError.is(failure, 'not_found')) return [];
      throw failure;
    });
  const enabled = required.length > 0 && isNameKnown;
  const { data, error, refetch } = useRead(QUERY_KEYS.environment(name), read, { enabled });
  if (required.length === 0) return { missing: [], areSet: true, form: null };
  if (!data) {
    const form = error && <ErrorNote error={error} onRetry={() => void refetch()} />;
    return { missing: undefined, areSet: false, form };
  }
  const missing = required.filter((key) => !data.some((variable) => variable.key === key));
  const form = missing.length > 0 && <VariablesForm name={name} keys={missing} />;
  return { missing, areSet: missing.length === 0, form };
}

function VariablesForm({ name, keys }: { readonly name: string; readonly keys: readonly string[] }) {
  const { t } = useConsoleTexts();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const set = useAction(
    (client) => {
      const set = Object.fromEntries(keys.map((key) => [key, values[key] ?? '']));
      return client.post('/v1/env/set', { body: { deployment_name: name, set, unset: [] } });
    },
    { refreshes: [QUERY_KEYS.deployment(name)] },
  );
  useCommand({
    label: t('deployment.tab.environment'),
    cli: `npx berth env set ${name} ${keys.join(' ')}`,
    http: {
      method: 'POST',
      path: '/v1/env/set',
      body: { deployment_name: name, set: Object.fromEntries(keys.map((key) => [key, 'value'])) },
    },
  });
  return (
    <Form onSubmit={() => set.mutate()} error={set.error}>
      <p>{t('deploy.required')}</p>
      {keys.map((key) => (
        <Field
          key={key}
          label={key}
          type="password"
          value={values[key] ?? ''}
          onChange={(value) => setValues({ ...values, [key]: value })}
          required
          autoComplete="new-password"
          dir="ltr"
        />
      ))}
      <FormActions>
        {/* The command leaves out the values, which would end up in the shell history. */}
        <Button type="submit" isBusy={set.isPending}>
          {t('deployment.env.set')}
        </Button>
      </FormActions>
    </Form>
  );
}
