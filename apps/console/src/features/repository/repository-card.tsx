import type { DeploymentDetail, Repository, RepositoryRun } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { Badge, type BadgeTone, Button, CopyCode, Time } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ConnectRepositoryDialog } from './connect-repository-dialog.tsx';

/** Runs that the card shows. */
const SHOWN = 5;

const TONES: Readonly<Record<RepositoryRun['status'], BadgeTone>> = {
  ...{
    queued: 'neutral',
    deploying: 'busy',
    succeeded: 'good',
    failed: 'bad',
    superseded: 'neutral',
    skipped: 'neutral',
  },
};

/** Card with the repository whose pushes deploy a service. */
export function RepositoryCard({ deployment: { name } }: { readonly deployment: Pick<DeploymentDetail, 'name'> }) {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [open, setOpen] = useState<'connect' | 'disconnect'>();
  const query = { deployment_name: name };
  const repository = useRead<Repository | null>(
    QUERY_KEYS.repository(name),
    (client, signal) =>
      client.get('/v1/repositories', { params: { query }, signal }).catch((error: unknown) => {
        if (BerthError.is(error, 'not_found')) return null;
        throw error;
      }),
    { refetchInterval: 5_000 },
  );
  return (
    <section
      aria-labelledby="repository"
      className="mt-8 flex max-w-2xl flex-col gap-4 rounded-lg border border-line p-4"
    >
      <div className="flex items-center gap-3">
        <h2 id="repository" className="flex-1 font-semibold">
          {t('repository.title')}
        </h2>
        {canDeploy && repository.data !== undefined && (
          <Button onClick={() => setOpen(repository.data ? 'disconnect' : 'connect')}>
            {t(repository.data ? 'repository.disconnect' : 'repository.connect')}
          </Button>
        )}
      </div>
      <Loaded query={repository} rows={2}>
        {(data) => (data ? <Connected repository={data} /> : <p className="text-ink-soft">{t('repository.none')}</p>)}
      </Loaded>
      {open === 'connect' && <ConnectRepositoryDialog name={name} onClose={() => setOpen(undefined)} />}
      {open === 'disconnect' && (
        <ConfirmAction
          title={t('repository.disconnect.title', { name })}
          description={t('repository.disconnect.text')}
          action={t('repository.disconnect')}
          command={{
            cli: `npx berth repo disconnect ${name}`,
            http: { method: 'DELETE', path: `/v1/repositories?deployment_name=${name}` },
          }}
          run={(client) => client.delete('/v1/repositories', { params: { query } })}
          refreshes={[QUERY_KEYS.repository(name)]}
          said={() => t('repository.disconnected', { name })}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
}

function Connected({
  repository: { url, branch, folder, runs, previews, deploy_key: deployKey },
}: {
  readonly repository: Repository;
}) {
  const { t } = useConsoleTexts();
  return (
    <>
      <p>
        {folder === null ? t('repository.where', { branch }) : t('repository.whereFolder', { branch, folder })}{' '}
        <bdi dir="ltr">
          <a href={url} target="_blank" rel="noreferrer" className="underline">
            {url}
          </a>
        </bdi>
      </p>
      {deployKey !== null && (
        <div className="flex min-w-0 flex-col gap-1">
          <span>{t('repository.deployKey.text')}</span>
          <CopyCode code={deployKey} />
        </div>
      )}
      {runs.length === 0 ? (
        <p className="text-ink-soft">{t('repository.noPush')}</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {runs.slice(0, SHOWN).map((run) => (
            <Run key={run.id} run={run} />
          ))}
        </ul>
      )}
      {previews.length > 0 && (
        <ul className="flex flex-col gap-1">
          {previews.map(({ pull_request: number, url: address }) => (
            <li key={number} className="flex flex-wrap gap-2">
              {t('repository.preview', { number: String(number) })}
              <bdi dir="ltr">
                <a href={address} target="_blank" rel="noreferrer" className="underline">
                  {address}
                </a>
              </bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Run({
  run: { commit, title, pull_request, status, error, report_error, time },
}: {
  readonly run: RepositoryRun;
}) {
  const { t } = useConsoleTexts();
  const problem = error ?? report_error;
  return (
    <li className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <Badge tone={TONES[status]} text={t(`repository.status.${status}`)} />
        <code className="text-xs">{commit.slice(0, 7)}</code>
        <bdi className="min-w-0 flex-1 truncate" title={title}>
          {pull_request === null ? title : `#${pull_request} ${title}`}
        </bdi>
        <Time at={time} />
      </div>
      {problem !== null && (
        <p dir="auto" className="text-bad text-xs">
          {problem}
        </p>
      )}
    </li>
  );
}
