import type { DeploymentDetail } from '@berth/contract';
import { Button, ErrorNote, quote, useCommand } from '@berth/ui';
import { RotateCw } from 'lucide-react';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { detachedMounts, toSettingFlags } from '../settings/settings-draft.ts';
import { SettingsFields } from '../settings/settings-fields.tsx';
import { useDetachQuestion } from '../settings/use-detach-question.tsx';
import { useSettingsEdits } from '../settings/use-settings-edits.tsx';
import { SettingsWithSource } from './settings-with-source.tsx';

/** Tab with the settings form. Saving starts a new revision from the current build, without the source. */
export function SettingsTab({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const { name } = deployment;
  const edits = useSettingsEdits(deployment);
  const { base, draft, settings, count, refusal, problems, isUnderWay } = edits;
  const isServing = deployment.revision !== null;
  const detach = useDetachQuestion(detachedMounts(base, draft), edits.redeploy);
  useCommand({
    label: t('deployment.tab.settings'),
    cli: ['npx berth redeploy', name, ...toSettingFlags(base, draft).map(quote)].join(' '),
    http: { method: 'POST', path: '/v1/deployment/redeploy', body: { name, ...settings } },
  });
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
          <SettingsFields draft={draft} onChange={edits.change} problems={problems} />
        </fieldset>
        {refusal !== undefined && (
          <ErrorNote error={Object.keys(problems).length > 0 ? t('settings.invalid') : refusal} />
        )}
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
              <Button onClick={edits.discard}>{t('settings.reset')}</Button>
            ) : (
              <Button icon={RotateCw} disabled={isUnderWay} title={t('settings.restartHint')} onClick={edits.redeploy}>
                {t('settings.restart')}
              </Button>
            )}
          </div>
        )}
      </form>
      {detach.dialog}
      {edits.guard}
      {canDeploy && (
        <SettingsWithSource deployment={deployment} draft={draft} problems={problems} isOpen={!isServing} />
      )}
    </div>
  );
}
