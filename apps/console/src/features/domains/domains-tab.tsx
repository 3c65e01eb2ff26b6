import type { DeploymentDetail } from '@berth/contract';
import { Button, CopyCommand, EmptyState, Form, FormActions } from '@berth/ui';
import { Globe } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { CodeNameField } from '../../components/fields.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DomainRow } from './domain-row.tsx';

/** Tab with the custom domains of a deployment. */
export function DomainsTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const canDeploy = useRights().can('deploy');
  const [domain, setDomain] = useState('');
  const domains = useRead(QUERY_KEYS.domains(name), (api, signal) =>
    api.get('/v1/domain/list', { params: { query: { name } }, signal }),
  );
  const request = { deployment_name: name, domain: domain || 'shop.example.com' };
  const save = async () => {
    await client.post('/v1/domain/add', { body: request });
    setDomain('');
  };
  const add = useAction(save, { refreshes: [QUERY_KEYS.domains(name)] });
  return (
    <div className="flex flex-col gap-4">
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
            <CopyCommand
              cli={`npx berth domain add ${request.domain} ${name}`}
              http={{ method: 'POST', path: '/v1/domain/add', body: request }}
            />
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
