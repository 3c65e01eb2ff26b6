import type { Deployment } from '@berth/contract';
import { Dialog, ErrorNote, fieldProblems } from '@berth/ui';
import { useEffect, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useAction } from '../../../api/use-action.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { useRequiredVariables } from '../../environment/required-variables.tsx';
import { useVariables } from '../../environment/use-variables.ts';
import { editsOf, type SettingsEdits } from '../../settings/settings-changes.ts';
import { detachedMounts, draftOf, toDeployFields } from '../../settings/settings-draft.ts';
import { useDetachQuestion } from '../../settings/use-detach-question.tsx';
import type { Source } from '../../sources/state/source-node.ts';
import { SourceError } from '../../sources/views/source-error.tsx';
import { SourcePicker } from '../../sources/views/source-picker.tsx';
import { SourceSummary } from '../../sources/views/source-summary.tsx';
import { usePacked } from '../../sources/views/use-packed.ts';
import { useDeployRun, useDeployState } from '../state/deploy-run-context.ts';
import { DeployForm } from './deploy-form.tsx';
import { ALL_TRAFFIC, toTrafficFields } from './traffic-fields.tsx';
import { useNameCheck } from './use-name-check.ts';

interface DeployDialogProps {
  /** Deployment that gets a new revision; undefined to ask for a name. */
  readonly target: Deployment | undefined;
  readonly source: Source | undefined;
  /** Why the chosen items are not a valid source. */
  readonly error: unknown;
  onSource(source: Promise<Source> | undefined): void;
  onClose(): void;
}

/**
 * Dialog that asks for the source, name and settings of a deploy. It stays mounted but hidden until the server accepts
 * the deploy, so that a rejection loses no input.
 */
export function DeployDialog({ target, source, error, onSource, onClose }: DeployDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const deployRun = useDeployRun();
  const run = useDeployState();
  const packing = usePacked(source);
  const [typedName, setName] = useState<string>();
  const [typed, setTyped] = useState<SettingsEdits>({});
  const [traffic, setTraffic] = useState(ALL_TRAFFIC);
  const [hasBegun, setBegun] = useState(false);

  const name = target?.name ?? typedName ?? packing?.name ?? '';
  const check = useNameCheck(name);
  const isNameKnown = !check.isChecking && check.problem === undefined && name !== '';
  const needed = useRequiredVariables(name, packing?.requiredEnv, isNameKnown);
  const variables = useVariables(needed.missing);
  const setVariables = useAction(
    (client) => client.post('/v1/env/set', { body: { deployment_name: name, ...variables.change, unset: [] } }),
    { refreshes: [QUERY_KEYS.deployment(name)], onDone: () => start() },
  );
  const deployed = target ?? check.own;
  const base = draftOf(deployed, packing?.settings);
  // Keeping only the edits lets the other settings follow when the name changes.
  const draft = { ...base, ...typed };
  const refusal = hasBegun && run?.phase === 'refused' ? run.error : undefined;
  const isTaken = hasBegun && refusal === undefined && run?.phase !== 'sending';
  const start = () => {
    const archive = packing?.archive;
    if (!archive) return;
    setBegun(true);
    const fields = { ...toDeployFields(name, draft), ...(deployed && toTrafficFields(traffic)) };
    deployRun.begin(name, (options) => client.deploy({ fields, archive }, options));
  };
  // Variables are stored first, because the new revision starts with them.
  const begin = () => (Object.keys(variables.values).length > 0 ? setVariables.mutate() : start());
  const detach = useDetachQuestion(deployed ? detachedMounts(draftOf(deployed), draft) : [], begin);
  useEffect(() => {
    if (isTaken) onClose();
  }, [isTaken, onClose]);
  if (hasBegun && refusal === undefined) return null;
  return (
    <>
      <Dialog
        title={target ? t('deploy.again', { name: target.name }) : t('deploy.title')}
        isOpen
        isWide
        onClose={onClose}
      >
        <div className="flex flex-col gap-4">
          {error !== undefined && <SourceError error={error} />}
          {source && packing ? (
            <SourceSummary packing={packing} onAgain={() => onSource(undefined)} />
          ) : (
            <SourcePicker onSource={onSource} />
          )}
          {refusal !== undefined && <ErrorNote error={refusal} />}
          {setVariables.error && <ErrorNote error={setVariables.error} />}
          {needed.missing === undefined && needed.form}
          {packing && packing.error === undefined && (
            <DeployForm
              name={name}
              {...(target ? {} : { onName: setName })}
              check={check}
              folder={source?.kind === 'folder' ? source.folder.name : (source?.name ?? '')}
              // Variables of an existing deployment are changed on its own page: each change is a revision.
              variables={check.own || target ? variables.required.length > 0 && variables : variables}
              isBusy={setVariables.isPending}
              base={base}
              draft={draft}
              onDraft={(next) => setTyped(editsOf(base, next))}
              traffic={deployed ? traffic : false}
              onTraffic={setTraffic}
              problems={fieldProblems(refusal)}
              canDeploy={packing.archive !== undefined && needed.missing !== undefined && variables.isValid}
              onDeploy={detach.ask}
            />
          )}
        </div>
      </Dialog>
      {detach.dialog}
    </>
  );
}
