import { toFormFields } from '@berth/client';
import type { Deployment } from '@berth/contract';
import { Button, Field, quote, useCommand } from '@berth/ui';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useDeployRun } from '../deploys/state/deploy-run-context.ts';
import { useRequiredVariables } from '../environment/required-variables.tsx';
import {
  detachedMounts,
  draftOf,
  type SettingsDraft,
  toDeployFields,
  toSettingFlags,
} from '../settings/settings-draft.ts';
import { useDetachQuestion } from '../settings/use-detach-question.tsx';
import type { Source } from '../sources/state/source-node.ts';
import { SourceError } from '../sources/views/source-error.tsx';
import { SourcePicker } from '../sources/views/source-picker.tsx';
import { SourceSummary } from '../sources/views/source-summary.tsx';
import { usePacked } from '../sources/views/use-packed.ts';

interface SettingsWithSourceProps {
  readonly deployment: Deployment;
  readonly draft: SettingsDraft;
  /** Error messages of the server by API field. */
  readonly problems: Readonly<Record<string, string>>;
  /** True if a deploy with a source is the only way to change the settings. */
  readonly isOpen: boolean;
}

/**
 * Form that deploys a source with the settings of the form above. The source is a folder, or an archive in a volume.
 */
export function SettingsWithSource({ deployment, draft, problems, isOpen }: SettingsWithSourceProps) {
  const { name } = deployment;
  const base = draftOf(deployment);
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const deployRun = useDeployRun();
  const [object, setObject] = useState('');
  const [source, setSource] = useState<Source>();
  const [sourceError, setSourceError] = useState<unknown>();
  const packing = usePacked(source);
  const variables = useRequiredVariables(name, packing?.requiredEnv);
  const fields = { ...toDeployFields(name, draft), ...(object === '' ? {} : { source_object: object }) };
  const hasSource = object !== '' || packing?.archive !== undefined;
  const take = (next: Promise<Source>) => {
    setSourceError(undefined);
    next.then(setSource, setSourceError);
  };
  const deploy = () => {
    const archive = object === '' ? packing?.archive : undefined;
    deployRun.begin(name, (options) => client.deploy({ fields, ...(archive && { archive }) }, options));
  };
  const detach = useDetachQuestion(detachedMounts(base, draft), deploy);
  useCommand({
    label: t('settings.withSource'),
    cli: [
      object === '' ? 'npx berth deploy .' : `npx berth deploy --source-object ${quote(object)}`,
      `--name ${name}`,
      ...toSettingFlags(base, draft).map(quote),
    ].join(' '),
    http: {
      method: 'POST',
      path: '/v1/deploy',
      form: { ...toFormFields(fields), ...(object === '' && { 'source_archive.0': '@source.tar.gz' }) },
    },
  });
  return (
    <details open={isOpen}>
      <summary className="disclosure mb-3 cursor-pointer font-medium">{t('settings.withSource')}</summary>
      <div className="flex flex-col gap-5">
        {source && packing ? (
          <SourceSummary packing={packing} onAgain={() => setSource(undefined)} />
        ) : (
          object === '' && <SourcePicker onSource={take} />
        )}
        {variables.form}
        {sourceError !== undefined && <SourceError error={sourceError} />}
        {!source && (
          <Field
            label={t('deployment.settings.object')}
            hint={t('deployment.settings.objectHint')}
            problem={problems['source_object']}
            value={object}
            onChange={setObject}
            placeholder="my-data/source.tar.gz"
            autoComplete="off"
            dir="ltr"
          />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button disabled={!hasSource || !variables.areSet} onClick={detach.ask}>
            {t('deployment.settings.save')}
          </Button>
        </div>
      </div>
      {detach.dialog}
    </details>
  );
}
