import { toFormFields } from '@berth/client';
import { Button, quote, useCommand } from '@berth/ui';
import { useState } from 'react';
import { CodeNameField } from '../../../components/fields.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { VariablesDraft } from '../../environment/use-variables.ts';
import { VariablesEditor } from '../../environment/variables-editor.tsx';
import { type SettingsDraft, toDeployFields, toSettingFlags } from '../../settings/settings-draft.ts';
import { SettingsFields } from '../../settings/settings-fields.tsx';
import { type TrafficDraft, TrafficFields, toTrafficFields, toTrafficFlags } from './traffic-fields.tsx';
import type { NameCheck } from './use-name-check.ts';

interface DeployFormProps {
  readonly name: string;
  /** Absent if the name is fixed. */
  readonly onName?: (name: string) => void;
  readonly check: NameCheck;
  /** Name of the folder or archive; empty for several files. */
  readonly folder: string;
  /** Variables of the first deploy and those that `berth.json` requires; false if there are none to set. */
  readonly variables: VariablesDraft | false;
  readonly isBusy: boolean;
  /** Settings that `berth deploy` would use without flags. */
  readonly base: SettingsDraft;
  readonly draft: SettingsDraft;
  onDraft(draft: SettingsDraft): void;
  /** Requests that the new revision gets; false where no revision is live, so that it gets all. */
  readonly traffic: TrafficDraft | false;
  onTraffic(draft: TrafficDraft): void;
  readonly problems: Readonly<Record<string, string>>;
  /** False until the source is packed. */
  readonly canDeploy: boolean;
  onDeploy(): void;
}

/** Form for the name and settings of a deploy. */
export function DeployForm(props: DeployFormProps) {
  const { name, onName, check, folder, variables, isBusy, base, draft, onDraft, problems, canDeploy, onDeploy } = props;
  const { traffic, onTraffic } = props;
  const { t } = useConsoleTexts();
  const hasTrafficProblems = 'tag' in problems || 'canary' in problems;
  const hasProblems = Object.keys(problems).some((field) => !['function_name', 'tag', 'canary'].includes(field));
  const [isOpen, setOpen] = useState(false);
  const [isTrafficOpen, setTrafficOpen] = useState(false);
  const [areVariablesOpen, setVariablesOpen] = useState(false);
  const http = {
    method: 'POST',
    path: '/v1/deploy',
    form: {
      ...toFormFields({ ...toDeployFields(name, draft), ...(traffic && toTrafficFields(traffic)) }),
      'source_archive.0': '@source.tar.gz',
    },
  } as const;
  useCommand({
    label: t('deploy.action'),
    cli: [
      'npx berth deploy . --name',
      name,
      ...[...toSettingFlags(base, draft), ...(traffic ? toTrafficFlags(traffic) : [])].map(quote),
    ].join(' '),
    http,
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onDeploy();
      }}
    >
      {onName && (
        <CodeNameField
          label={t('shell.name')}
          hint={name === '' && folder !== '' ? t('deploy.nameNone', { folder }) : hintOf(check, name, t)}
          problem={problems['function_name'] ?? check.problem}
          value={name}
          onChange={onName}
          required
          autoCapitalize="none"
        />
      )}
      {variables && (
        <details
          open={areVariablesOpen || variables.required.length > 0}
          onToggle={(event) => setVariablesOpen(event.currentTarget.open)}
        >
          <summary className="disclosure mb-3 cursor-pointer font-medium">{t('deployment.tab.environment')}</summary>
          {variables.required.length > 0 && <p className="mb-2">{t('deploy.required')}</p>}
          {(areVariablesOpen || variables.required.length > 0) && <VariablesEditor draft={variables} />}
        </details>
      )}
      <details open={isOpen || hasProblems} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="disclosure mb-3 cursor-pointer font-medium">{t('deployment.tab.settings')}</summary>
        <SettingsFields draft={draft} onChange={onDraft} problems={problems} />
      </details>
      {traffic && (
        <details
          open={isTrafficOpen || hasTrafficProblems}
          onToggle={(event) => setTrafficOpen(event.currentTarget.open)}
        >
          <summary className="disclosure mb-3 cursor-pointer font-medium">{t('deployment.traffic')}</summary>
          <TrafficFields draft={traffic} onChange={onTraffic} problems={problems} />
        </details>
      )}
      <div className="flex justify-end gap-2">
        <Button
          look="primary"
          type="submit"
          isBusy={isBusy}
          disabled={!canDeploy || name === '' || check.isChecking || check.problem !== undefined}
        >
          {t('deploy.action')}
        </Button>
      </div>
    </form>
  );
}

function hintOf(check: NameCheck, name: string, t: ReturnType<typeof useConsoleTexts>['t']): string {
  if (check.isChecking) return t('deploy.nameChecking');
  if (name === '' || check.problem !== undefined) return t('deploy.nameHint');
  return check.own ? t('deploy.nameOwn') : t('deploy.nameFree');
}
