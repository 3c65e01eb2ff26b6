import type { Alert, AlertEvent } from '@berth/contract';
import { Badge, type BadgeTone, Button, type Column, EmptyState, IconButton, Time, VirtualTable } from '@berth/ui';
import { Bell, BellOff, BellRing, Plus, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { limitOf } from './condition-fields.ts';
import { CreateAlertDialog } from './create-alert-dialog.tsx';

/** Alerts change state by themselves. */
const REFRESH_MS = 15_000;

/** Page of the account's alerts, and what they did. */
export function AlertsPage() {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [isCreating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<Alert>();
  const alerts = useRead(QUERY_KEYS.alerts, (client, signal) => client.get('/v1/alerts', { signal }), {
    refetchInterval: REFRESH_MS,
  });
  const columns: readonly Column<Alert>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ title }) => <bdi title={title}>{title}</bdi>,
    },
    {
      title: t('alerts.condition'),
      isWideOnly: true,
      track: 'minmax(0,3fr)',
      cell: ({ condition }) => t(`alerts.is.${condition.type}`, { limit: String(limitOf(condition)) }),
    },
    {
      title: t('alerts.deployment'),
      track: 'minmax(0,1fr)',
      isWideOnly: true,
      cell: ({ deployment_name }) => deployment_name ?? t('alerts.allDeployments'),
    },
    {
      title: t('alerts.sentTo'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ emails, webhook_url }) => {
        const targets = [...emails, ...(webhook_url === null ? [] : [webhook_url])].join(', ');
        return (
          <bdi dir="ltr" title={targets}>
            {targets}
          </bdi>
        );
      },
    },
    { title: t('alerts.state'), track: '6rem', cell: (alert) => <State alert={alert} /> },
    {
      title: t('alerts.remove'),
      isTitleHidden: true,
      track: '9.5rem',
      cell: (alert) => canDeploy && <Actions alert={alert} onRemove={() => setRemoving(alert)} />,
    },
  ];
  return (
    <>
      <PageHead
        title={t('nav.alerts')}
        command={{ cli: 'npx berth alerts ls', http: { method: 'GET', path: '/v1/alerts' } }}
      >
        {canDeploy && (
          <Button icon={Plus} look="primary" onClick={() => setCreating(true)}>
            {t('alerts.create')}
          </Button>
        )}
      </PageHead>
      <Loaded
        query={alerts}
        rows={3}
        empty={
          <EmptyState
            icon={BellRing}
            title={t('alerts.empty.title')}
            text={t('alerts.empty.text')}
            command="npx berth alerts create Errors --on error_rate --percent 5 --email you@example.com"
          />
        }
      >
        {(rows) => <VirtualTable label={t('nav.alerts')} rows={rows} columns={columns} rowKey={({ id }) => id} />}
      </Loaded>
      <History />
      {isCreating && <CreateAlertDialog onClose={() => setCreating(false)} />}
      {removing && (
        <ConfirmAction
          title={t('alerts.remove.title', { name: removing.title })}
          description={t('alerts.remove.text')}
          action={t('alerts.remove')}
          command={{
            cli: `npx berth alerts rm ${removing.id}`,
            http: { method: 'DELETE', path: `/v1/alerts?id=${removing.id}` },
          }}
          run={(client) => client.delete('/v1/alerts', { params: { query: { id: removing.id } } })}
          refreshes={[QUERY_KEYS.alerts]}
          said={() => t('alerts.removed', { name: removing.title })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function State({ alert: { is_enabled: isEnabled, firing } }: { readonly alert: Alert }) {
  const { t } = useConsoleTexts();
  const names = firing.map(({ deployment_name }) => deployment_name ?? t('nav.account')).join(', ');
  const [tone, text]: readonly [BadgeTone, string] = !isEnabled
    ? ['neutral', t('alerts.disabled')]
    : firing.length > 0
      ? ['bad', t('alerts.firing')]
      : ['good', t('alerts.ok')];
  return (
    <span title={names}>
      <Badge tone={tone} text={text} />
    </span>
  );
}

function Actions({ alert, onRemove }: { readonly alert: Alert; onRemove(): void }) {
  const { t } = useConsoleTexts();
  const { id, title, is_enabled: isEnabled } = alert;
  const test = useAction((client) => client.post('/v1/alerts/test', { body: { id } }), {
    refreshes: [QUERY_KEYS.alerts],
    said: () => t('alerts.tested', { name: title }),
  });
  const toggle = useAction((client) => client.post('/v1/alerts/update', { body: { id, is_enabled: !isEnabled } }), {
    refreshes: [QUERY_KEYS.alerts],
  });
  return (
    <span className="flex justify-end gap-1">
      <IconButton icon={Send} label={t('alerts.test')} disabled={test.isPending} onClick={() => test.mutate()} />
      <IconButton
        icon={isEnabled ? BellOff : Bell}
        label={isEnabled ? t('alerts.disable') : t('alerts.enable')}
        disabled={toggle.isPending}
        onClick={() => toggle.mutate()}
      />
      <IconButton icon={Trash2} label={t('alerts.remove')} onClick={onRemove} />
    </span>
  );
}

function History() {
  const { t } = useConsoleTexts();
  const { data: events = [] } = useRead(
    QUERY_KEYS.alertHistory,
    (client, signal) => client.get('/v1/alerts/history', { signal }),
    { refetchInterval: REFRESH_MS },
  );
  if (events.length === 0) return null;
  const columns: readonly Column<AlertEvent>[] = [
    { title: t('alerts.time'), track: '6rem', cell: ({ time }) => <Time at={time} /> },
    { title: t('alerts.change'), track: '6rem', isWideOnly: true, cell: ({ kind }) => t(`alerts.kind.${kind}`) },
    {
      title: t('alerts.message'),
      track: 'minmax(0,3fr)',
      cell: ({ title, message }) => <bdi title={message}>{`${title}: ${message}`}</bdi>,
    },
    {
      title: t('alerts.delivery'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ deliveries }) => {
        const text = deliveries
          .map(
            ({ target, state, last_error }) =>
              `${target}: ${t(`alerts.delivery.${state}`)}${last_error ? ` (${last_error})` : ''}`,
          )
          .join(', ');
        return (
          <bdi dir="ltr" title={text}>
            {text}
          </bdi>
        );
      },
    },
  ];
  return (
    <section className="mt-8 flex flex-col gap-3">
      <h2 className="font-semibold">{t('alerts.history')}</h2>
      <VirtualTable label={t('alerts.history')} rows={events} columns={columns} rowKey={({ id }) => id} />
    </section>
  );
}
