import type { Client } from '@berth/client';
import type { DeploymentDetail, Domain } from '@berth/contract';
import {
  Badge,
  Button,
  CopyCode,
  EmptyState,
  ErrorNote,
  Form,
  FormActions,
  IconButton,
  MiddleText,
  useCommand,
} from '@berth/ui';
import { Globe, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { CodeNameField } from '../../components/fields.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Tab with the custom domains of a deployment. */
export function DomainsTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [domain, setDomain] = useState('');
  const domains = useRead(QUERY_KEYS.domains(name), (client, signal) =>
    client.get('/v1/domain/list', { params: { query: { name } }, signal }),
  );
  const request = { deployment_name: name, domain: domain || 'shop.example.com' };
  const save = async (client: Client) => {
    await client.post('/v1/domain/add', { body: request });
    setDomain('');
  };
  const add = useAction(save, { refreshes: [QUERY_KEYS.domains(name)] });
  const guard = useUnsavedGuard(domain === '' ? [] : [domain]);
  useCommand({
    label: t('deployment.domain.add'),
    cli: `npx berth domain add ${request.domain} ${name}`,
    http: { method: 'POST', path: '/v1/domain/add', body: request },
  });
  return (
    <div className="flex flex-col gap-4">
      {guard}
      {canDeploy && (
        <Form onSubmit={() => add.mutate()} error={add.error}>
          <CodeNameField
            label={t('deployment.domain')}
            name="domain"
            hint={t('deployment.domain.hint')}
            value={domain}
            onChange={setDomain}
            required
            autoCapitalize="none"
          />
          <FormActions>
            <Button look="primary" type="submit" isBusy={add.isPending} disabled={domain === ''}>
              {t('deployment.domain.add')}
            </Button>
          </FormActions>
        </Form>
      )}
      <Loaded
        query={domains}
        rows={1}
        empty={
          <EmptyState
            icon={Globe}
            title={t('deployment.domain.empty')}
            text={t('deployment.domain.emptyText')}
            command={`npx berth domain add shop.example.com ${name}`}
          />
        }
      >
        {(rows) => (
          <ul className="flex flex-col gap-4">
            {rows.map((row) => (
              <DomainRow key={row.domain} domain={row} />
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}

/** One domain. While it is unverified, shows how to verify it. */
function DomainRow({ domain: { domain, deployment_name: name, status, target, proof } }: { readonly domain: Domain }) {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [isRemoving, setRemoving] = useState(false);
  const refreshes = [QUERY_KEYS.domains(name)];
  const verify = useAction((client) => client.post('/v1/domain/verify', { body: { domain } }), { refreshes });
  useCommand(
    status === 'active'
      ? undefined
      : {
          label: `${t('deployment.domain.verify')}: ${domain}`,
          cli: `npx berth domain verify ${domain}`,
          http: { method: 'POST', path: '/v1/domain/verify', body: { domain } },
        },
  );
  return (
    <li className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1 font-medium">
          <MiddleText text={domain} />
        </span>
        <Badge tone={status === 'active' ? 'good' : 'warn'} text={t(`deployment.domain.${status}`)} />
        {canDeploy && (
          <IconButton
            icon={Trash2}
            label={t('deployment.domain.remove', { domain })}
            onClick={() => setRemoving(true)}
          />
        )}
      </div>
      {status === 'pending' && (
        <>
          <p className="text-ink-soft">{t('deployment.domain.steps')}</p>
          <CopyCode code={`${domain}. CNAME ${target}.`} />
          <CopyCode code={`${proof.txt.name}. TXT "${proof.txt.value}"`} />
          {verify.error && <ErrorNote error={verify.error} />}
          {verify.data?.problems.map(({ method, message }) => (
            <ErrorNote key={method} error={message} />
          ))}
          <div className="flex flex-wrap justify-end gap-2">
            <Button isBusy={verify.isPending} onClick={() => verify.mutate()}>
              {t('deployment.domain.verify')}
            </Button>
          </div>
        </>
      )}
      {isRemoving && (
        <ConfirmAction
          title={t('deployment.domain.removeTitle', { domain })}
          description={t('deployment.domain.removeText')}
          action={t('deployment.env.remove')}
          command={{
            cli: `npx berth domain rm ${domain}`,
            http: { method: 'POST', path: '/v1/domain/remove', body: { domain } },
          }}
          run={(client) => client.post('/v1/domain/remove', { body: { domain } })}
          refreshes={refreshes}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
}
