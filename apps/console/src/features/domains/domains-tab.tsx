import type { DeploymentDetail } from '@berth/contract';
import { Button, CopyCommand, EmptyState, ErrorNote, Field, Form, FormActions, Skeleton } from '@berth/ui';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Globe } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DomainRow } from './domain-row.tsx';

/** Tab with the custom domains of a deployment. */
export function DomainsTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const canDeploy = useRights().can('deploy');
  const [domain, setDomain] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: QUERY_KEYS.domains(name),
    queryFn: ({ signal }) => client.get('/v1/domain/list', { params: { query: { name } }, signal }),
  });
  const request = { deployment_name: name, domain: domain || 'shop.example.com' };
  const add = useMutation({
    mutationFn: () => client.post('/v1/domain/add', { body: request }),
    async onSuccess() {
      setDomain('');
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.domains(name) });
    },
  });
  return (
    <div className="flex flex-col gap-4">
      {canDeploy && (
        <Form onSubmit={() => add.mutate()} error={add.error}>
          <Field
            label={t('deployment.domain')}
            name="domain"
            hint={t('deployment.domain.hint')}
            value={domain}
            onChange={setDomain}
            required
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
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
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={1} />}
      {data?.length === 0 && (
        <EmptyState
          icon={Globe}
          title={t('deployment.domain.empty')}
          text={t('deployment.domain.emptyText')}
          command={`npx berth domain add shop.example.com ${name}`}
        />
      )}
      <ul className="flex flex-col gap-4">
        {data?.map((row) => (
          <DomainRow key={row.domain} domain={row} />
        ))}
      </ul>
    </div>
  );
}
