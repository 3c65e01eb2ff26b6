import { toFormFields } from '@berth/client';
import type { ValidationIssue } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { Button, CopyCommand, ErrorNote, Field, quote } from '@berth/web';
import { useState } from 'react';
import { useConsole, useDeployState } from '../../state/console-context.ts';
import { draftOf, problemsByField, toDeployFields, toDeployFlags } from '../../state/deploy/settings-draft.ts';
import type { Source } from '../../state/deploy/source-node.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { SettingsFields } from '../deploy/settings-fields.tsx';
import { SourcePicker } from '../deploy/source-picker.tsx';
import { SourceSummary } from '../deploy/source-summary.tsx';
import { usePacked } from '../deploy/use-packed.ts';
import type { TabProps } from './tab-props.ts';

/** The settings as a form that deploys again, with the source that they are for. */
export function SettingsTab({ deployment }: TabProps) {
  const { t } = useConsoleTexts();
  const { client, deployRun } = useConsole();
  const run = useDeployState();
  const { name } = deployment;
  const [draft, setDraft] = useState(() => draftOf(deployment));
  const [object, setObject] = useState('');
  const [source, setSource] = useState<Source>();
  const [sourceError, setSourceError] = useState<unknown>();
  const packing = usePacked(source);
  const refusal = run?.name === name && run.phase === 'refused' ? run.error : undefined;
  const issues = BerthError.is(refusal) ? (refusal.details['issues'] as readonly ValidationIssue[] | undefined) : [];
  const problems = problemsByField(issues ?? []);
  const fields = { ...toDeployFields(name, draft), ...(object === '' ? {} : { source_object: object }) };
  const hasSource = object !== '' || packing?.archive !== undefined;
  const take = (next: Promise<Source>) => {
    setSourceError(undefined);
    next.then(setSource, setSourceError);
  };
  return (
    <form
      className="flex max-w-2xl flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        const archive = object === '' ? packing?.archive : undefined;
        deployRun.begin(name, (options) => client.deploy({ fields, ...(archive && { archive }) }, options));
      }}
    >
      <SettingsFields draft={draft} onChange={setDraft} problems={problems} />
      <p className="text-ink-soft">{t('deployment.settings.text')}</p>
      {source && packing ? (
        <SourceSummary packing={packing} onAgain={() => setSource(undefined)} />
      ) : (
        object === '' && <SourcePicker onSource={take} />
      )}
      {sourceError !== undefined && <ErrorNote error={sourceError} />}
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
      {refusal !== undefined && <ErrorNote error={refusal} />}
      <div className="flex flex-wrap justify-end gap-2">
        <CopyCommand
          cli={[
            object === '' ? 'npx berth deploy .' : `npx berth deploy --source-object ${quote(object)}`,
            ...toDeployFlags(name, draft).map(quote),
          ].join(' ')}
          http={{
            method: 'POST',
            path: '/v1/deploy',
            form: { ...toFormFields(fields), ...(object === '' && { 'source_archive.0': '@source.tar.gz' }) },
          }}
        />
        <Button look="primary" type="submit" disabled={!hasSource}>
          {t('deployment.settings.save')}
        </Button>
      </div>
    </form>
  );
}
