import { Button, Field, IconButton, Switch } from '@berth/ui';
import { Plus, Trash2 } from 'lucide-react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { MountDraft, SettingsDraft } from './settings-draft.ts';

export interface SettingsFieldsProps {
  readonly draft: SettingsDraft;
  onChange(draft: SettingsDraft): void;
  /** What the server said, by its names of the fields. */
  readonly problems: Readonly<Record<string, string>>;
}

/** All settings of a deployment. */
export function SettingsFields({ draft, onChange, problems }: SettingsFieldsProps) {
  const { t } = useConsoleTexts();
  const text = (key: Exclude<keyof SettingsDraft, 'mounts' | 'hasSessionAffinity' | 'usesHttp2'>) => ({
    value: draft[key],
    onChange: (value: string) => onChange({ ...draft, [key]: value }),
    autoComplete: 'off',
    spellCheck: false,
    dir: 'ltr' as const,
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('deploy.port')} hint={t('deploy.portHint')} problem={problems['port']} {...text('port')} />
        <Field
          label={t('deploy.memory')}
          hint={t('deploy.memoryHint')}
          problem={problems['memory']}
          {...text('memory')}
        />
        <Field label={t('deploy.cpu')} hint={t('deploy.cpuHint')} problem={problems['cpu']} {...text('cpu')} />
        <Field
          label={t('deploy.timeout')}
          hint={t('deploy.timeoutHint')}
          problem={problems['timeout']}
          {...text('timeout')}
        />
        <Field
          label={t('deploy.concurrency')}
          hint={t('deploy.concurrencyHint')}
          problem={problems['concurrency']}
          {...text('concurrency')}
        />
        <Field
          label={t('deploy.maxInstances')}
          hint={t('deploy.maxInstancesHint')}
          problem={problems['max_instances']}
          {...text('maxInstances')}
        />
        <Field
          label={t('deploy.minInstances')}
          hint={t('deploy.minInstancesHint')}
          problem={problems['min_instances']}
          {...text('minInstances')}
        />
        <Field label={t('deploy.cron')} hint={t('deploy.cronHint')} problem={problems['schedule']} {...text('cron')} />
        <Field label={t('deploy.timezone')} problem={problems['timezone']} {...text('timezone')} />
        <Field
          label={t('deploy.health')}
          hint={t('deploy.healthHint')}
          problem={problems['health']}
          {...text('health')}
        />
      </div>
      <Switch
        label={t('deploy.affinity')}
        isOn={draft.hasSessionAffinity}
        onChange={(hasSessionAffinity) => onChange({ ...draft, hasSessionAffinity })}
      />
      <Switch
        label={t('deploy.http2')}
        isOn={draft.usesHttp2}
        onChange={(usesHttp2) => onChange({ ...draft, usesHttp2 })}
      />
      <Mounts
        mounts={draft.mounts}
        problem={problems['volumes']}
        onChange={(mounts) => onChange({ ...draft, mounts })}
      />
    </div>
  );
}

interface MountsProps {
  readonly mounts: readonly MountDraft[];
  readonly problem: string | undefined;
  onChange(mounts: readonly MountDraft[]): void;
}

function Mounts({ mounts, problem, onChange }: MountsProps) {
  const { t } = useConsoleTexts();
  const change = (at: number, changes: Partial<MountDraft>) =>
    onChange(mounts.map((mount, index) => (index === at ? { ...mount, ...changes } : mount)));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">{t('deploy.volumes')}</legend>
      {mounts.map((mount, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place alone
        <div key={at} className="flex flex-wrap items-end gap-2">
          <Field
            className="min-w-32 flex-1"
            label={t('deploy.mountPath')}
            value={mount.path}
            onChange={(path) => change(at, { path })}
            placeholder="/data"
            dir="ltr"
          />
          <Field
            className="min-w-32 flex-1"
            label={t('deploy.volume')}
            value={mount.volume}
            onChange={(volume) => change(at, { volume })}
            placeholder="my-data"
            dir="ltr"
          />
          <span className="flex h-8 items-center max-sm:h-10">
            <Switch
              label={t('deploy.readOnly')}
              isOn={mount.isReadOnly}
              onChange={(isReadOnly) => change(at, { isReadOnly })}
            />
          </span>
          <IconButton
            icon={Trash2}
            label={t('deploy.removeVolume', { path: mount.path })}
            onClick={() => onChange(mounts.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-bad text-xs">
          {problem}
        </p>
      )}
      <Button
        className="self-start"
        onClick={() => onChange([...mounts, { path: '', volume: '', isReadOnly: false, subPath: '' }])}
      >
        <Plus aria-hidden className="size-4" />
        {t('deploy.addVolume')}
      </Button>
    </fieldset>
  );
}
