import type { Domain } from '@berth/contract';
import { Badge, Button, CopyCode, CopyCommand, ErrorNote, IconButton, MiddleText } from '@berth/ui';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** One domain. While it is unverified, shows how to verify it. */
export function DomainRow({
  domain: { domain, deployment_name: name, status, target, proof },
}: {
  readonly domain: Domain;
}) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const canDeploy = useRights().can('deploy');
  const [isRemoving, setRemoving] = useState(false);
  const refreshes = [QUERY_KEYS.domains(name)];
  const verify = useAction(() => client.post('/v1/domain/verify', { body: { domain } }), { refreshes });
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
            <CopyCommand
              cli={`npx berth domain verify ${domain}`}
              http={{ method: 'POST', path: '/v1/domain/verify', body: { domain } }}
            />
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
          run={() => client.post('/v1/domain/remove', { body: { domain } })}
          refreshes={refreshes}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
}
