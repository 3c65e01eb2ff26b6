import { Button, Dialog, Field, Form, FormActions, quote, Select } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useDeployments } from '../../api/shared-lists.ts';
import { useAction } from '../../api/use-action.ts';
import { ShowOnceDialog } from '../../components/show-once-dialog.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { CONDITION_LIMITS, CONDITION_TYPES, type ConditionType, toCondition } from './condition-fields.ts';

const ALL = '';

/** Dialog that creates an alert, and shows the secret of its webhook once. */
export function CreateAlertDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const deployments = useDeployments().data ?? [];
  const [title, setTitle] = useState('');
  const [type, setType] = useState<ConditionType>('error_rate');
  const [limit, setLimit] = useState(CONDITION_LIMITS.error_rate?.first ?? '');
  const [deployment, setDeployment] = useState<string>(ALL);
  const [emails, setEmails] = useState('');
  const [webhook, setWebhook] = useState('');
  const own = CONDITION_LIMITS[type];
  const addresses = emails.split(/[\s,]+/).filter((address) => address !== '');
  const body = {
    title: title || t(`alerts.on.${type}`),
    condition: toCondition(type, limit),
    deployment_name: deployment === ALL ? null : deployment,
    emails: addresses,
    webhook_url: webhook === '' ? null : webhook,
  };
  const create = useAction((client) => client.post('/v1/alerts', { body }), {
    refreshes: [QUERY_KEYS.alerts],
    said: () => t('alerts.created', { name: body.title }),
    onDone: ({ webhook_secret }) => webhook_secret === null && onClose(),
  });
  if (create.data?.webhook_secret) {
    const { webhook_secret: secret } = create.data;
    return (
      <ShowOnceDialog title={t('alerts.secret.title')} text={t('alerts.secret.text')} code={secret} onClose={onClose} />
    );
  }
  const choose = (chosen: ConditionType) => {
    setType(chosen);
    setLimit(CONDITION_LIMITS[chosen]?.first ?? '');
  };
  const command = [
    `npx berth alerts create ${quote(body.title)} --on ${type}`,
    ...(own ? [`--${own.field} ${quote(limit)}`] : []),
    ...(deployment === ALL ? [] : [`--deployment ${deployment}`]),
    ...addresses.map((address) => `--email ${quote(address)}`),
    ...(webhook === '' ? [] : [`--webhook ${quote(webhook)}`]),
  ].join(' ');
  return (
    <Dialog
      command={{ cli: command, http: { method: 'POST', path: '/v1/alerts', body } }}
      title={t('alerts.create')}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <Select<ConditionType>
          label={t('alerts.condition')}
          value={type}
          onChange={choose}
          options={CONDITION_TYPES.map((value) => ({ value, label: t(`alerts.on.${value}`) }))}
        />
        {own && (
          <Field
            label={t(`alerts.limit.${type as LimitedType}`)}
            name={own.field}
            type="number"
            step="any"
            value={limit}
            onChange={setLimit}
            required
          />
        )}
        <Select
          label={t('alerts.deployment')}
          value={deployment}
          onChange={setDeployment}
          options={[
            { value: ALL, label: t('alerts.allDeployments') },
            ...deployments.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
        <Field
          label={t('alerts.emails')}
          name="emails"
          hint={t('alerts.emails.hint')}
          value={emails}
          onChange={setEmails}
          autoComplete="off"
        />
        <Field
          label={t('alerts.webhook')}
          name="webhook_url"
          hint={t('alerts.webhook.hint')}
          type="url"
          value={webhook}
          onChange={setWebhook}
          autoComplete="off"
        />
        <Field
          label={t('shell.name')}
          name="title"
          value={title}
          onChange={setTitle}
          placeholder={t(`alerts.on.${type}`)}
          maxLength={100}
          autoComplete="off"
        />
        <FormActions>
          <Button
            look="primary"
            type="submit"
            isBusy={create.isPending}
            disabled={addresses.length === 0 && webhook === ''}
          >
            {t('alerts.create')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type LimitedType = Exclude<ConditionType, 'deploy_failed'>;
