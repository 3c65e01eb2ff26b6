import type { SettingsToChange } from '@berth/client';
import type { DeploymentDetail } from '@berth/contract';
import type { SettingField } from '@berth/contract/settings';
import { fieldProblems } from '@berth/ui';
import { type ReactNode, useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useDeployRun, useDeployState } from '../deploys/state/deploy-run-context.ts';
import { editsOf, type SettingsEdits, toChangedFields } from './settings-changes.ts';
import { draftOf, type SettingsDraft } from './settings-draft.ts';

/** Edited settings of a deployment, for a form that redeploys with them. */
export interface EditedSettings {
  /** Form values of the deployment as it is. */
  readonly base: SettingsDraft;
  readonly draft: SettingsDraft;
  /** API fields that differ from the deployment's. */
  readonly settings: SettingsToChange;
  readonly count: number;
  /** Why the server rejected the last redeploy. */
  readonly refusal: unknown;
  /** Error messages of the server by API field. */
  readonly problems: Readonly<Record<string, string>>;
  /** True while a deploy of this deployment is in progress in this tab. */
  readonly isUnderWay: boolean;
  /** Dialog that asks before unsaved edits are lost. */
  readonly guard: ReactNode;
  change(draft: SettingsDraft): void;
  discard(): void;
  redeploy(): void;
}

/** Returns the edited settings of a deployment. Settings without edits follow the deployment. */
export function useSettingsEdits(deployment: DeploymentDetail): EditedSettings {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const deployRun = useDeployRun();
  const run = useDeployState();
  const { name } = deployment;
  const [typed, setTyped] = useState<SettingsEdits>({});
  const [submitted, setSubmitted] = useState<string>();
  const base = draftOf(deployment);
  const draft = { ...base, ...typed };
  const settings = toChangedFields(deployment, editsOf(base, draft));
  const phase = run?.name === name ? run.phase : undefined;
  const refusal = phase === 'refused' ? run?.error : undefined;
  const isUnderWay = phase === 'sending' || phase === 'running';
  // Edits that a deploy in progress applies are not lost.
  const isSubmitted = submitted === JSON.stringify(settings) && (isUnderWay || phase === 'done');
  const unsaved = isSubmitted ? [] : Object.keys(settings).map((field) => t(`setting.${field as SettingField}`));
  return {
    ...{ base, draft, settings, refusal, isUnderWay },
    count: Object.keys(settings).length,
    problems: fieldProblems(refusal),
    guard: useUnsavedGuard(unsaved),
    change: (next) => setTyped(editsOf(base, next)),
    discard: () => setTyped({}),
    redeploy() {
      setSubmitted(JSON.stringify(settings));
      deployRun.begin(name, (options) => client.redeploy(name, settings, options));
    },
  };
}
