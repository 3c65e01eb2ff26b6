import type { DeploymentDetail } from '@berth/contract';
import { Button, CopyCommand, ErrorNote, fieldProblems, quote } from '@berth/ui';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useDeployRun, useDeployState } from '../deploys/state/deploy-run-context.ts';
import { editsOf, type SettingsEdits, toChangedFields } from '../settings/settings-changes.ts';
import { detachedMounts, draftOf, toSettingFlags } from '../settings/settings-draft.ts';
import { SettingsFields } from '../settings/settings-fields.tsx';
import { useDetachQuestion } from '../settings/use-detach-question.tsx';
import { SettingsWithSource } from './settings-with-source.tsx';

/** Tab with the settings form. Saving starts a new revision from the current build, without the source. */
export function SettingsTab({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const deployRun = useDeployRun();
  const canDeploy = useRights().can('deploy');
  const run = useDeployState();
  const { name } = deployment;
  const [typed, setTyped] = useState<SettingsEdits>({});
  const base = draftOf(deployment);
  const draft = { ...base, ...typed };
  const edits = editsOf(base, draft);
  const settings = toChangedFields(deployment, edits);
  const count = Object.keys(settings).length;
  const refusal = run?.name === name && run.phase === 'refused' ? run.error : undefined;
  const problems = fieldProblems(refusal);
  const isServing = deployment.revision !== null;
  const isUnderWay = run?.name === name && (run.phase === 'sending' || run.phase === 'running');
  const redeploy = () => deployRun.begin(name, (options) => client.redeploy(name, settings, options));
  const detach = useDetachQuestion(detachedMounts(base, draft), redeploy);
  return (
    <div className="flex max-w-2xl flex-col gap-8">
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          detach.ask();
        }}
      >
        <p className="text-ink-soft">
          {canDeploy ? t(isServing ? 'settings.text' : 'settings.notServing') : t('settings.noRights')}
        </p>
        <fieldset disabled={!canDeploy} className="contents">
          <SettingsFields draft={draft} onChange={(next) => setTyped(editsOf(base, next))} problems={problems} />
        </fieldset>
        {refusal !== undefined && <ErrorNote error={refusal} />}
        {canDeploy && isServing && (
          // Aligned to the start, because the deploy panel covers the end of the line.
          <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center gap-2 border-line border-t bg-ground px-4 py-3">
            <span role="status" className="me-2 text-ink-soft">
              {count === 0 ? t('settings.noChanges') : t('settings.changes', { count })}
            </span>
            <Button look="primary" type="submit" disabled={count === 0 || isUnderWay}>
              {t('settings.apply')}
            </Button>
            {count > 0 ? (
              <Button onClick={() => setTyped({})}>{t('settings.reset')}</Button>
            ) : (
              <Button icon={RotateCw} disabled={isUnderWay} title={t('settings.restartHint')} onClick={redeploy}>
                {t('settings.restart')}
              </Button>
            )}
            <CopyCommand
              cli={['npx berth redeploy', name, ...toSettingFlags(base, draft).map(quote)].join(' ')}
              http={{ method: 'POST', path: '/v1/deployment/redeploy', body: { name, ...settings } }}
            />
          </div>
        )}
      </form>
      {detach.dialog}
      {canDeploy && (
        <SettingsWithSource deployment={deployment} draft={draft} problems={problems} isOpen={!isServing} />
      )}
    </div>
  );
}
