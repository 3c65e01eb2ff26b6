import { type FieldOf, SETTINGS, settingBounds, VALUE_FIELDS, type ValueField } from '@berth/contract/settings';
import { Button, Field, IconButton, Switch } from '@berth/ui';
import { Plus, Trash2 } from 'lucide-react';
import { CodeNameField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ScheduleFields, type SettingsFieldsProps } from './schedule-fields.tsx';
import type { MountDraft } from './settings-draft.ts';

type SwitchField = FieldOf<'boolean'>;
type TextField = Exclude<ValueField, SwitchField>;

const isSwitch = (field: ValueField): field is SwitchField => SETTINGS[field].kind === 'boolean';
const TEXT_FIELDS = VALUE_FIELDS.filter((field): field is TextField => !isSwitch(field));

/** Form fields for all settings of a deployment. */
export function SettingsFields({ draft, onChange, problems }: SettingsFieldsProps) {
  const { t } = useConsoleTexts();
  const input = (key: TextField | 'health') => ({
    problem: problems[key],
    value: draft[key],
    onChange: (value: string) => onChange({ ...draft, [key]: value }),
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        {TEXT_FIELDS.map((field) => (
          <CodeNameField
            key={field}
            label={t(`setting.${field}`)}
            hint={t(`setting.${field}.hint`, settingBounds(SETTINGS[field]))}
            {...input(field)}
          />
        ))}
        <ScheduleFields draft={draft} onChange={onChange} problems={problems} />
        <CodeNameField label={t('setting.health')} hint={t('setting.health.hint')} {...input('health')} />
      </div>
      {VALUE_FIELDS.filter(isSwitch).map((field) => (
        <Switch
          key={field}
          label={t(`setting.${field}`)}
          isOn={draft[field]}
          onChange={(isOn) => onChange({ ...draft, [field]: isOn })}
        />
      ))}
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
      <legend className="mb-1 font-medium">{t('setting.volumes')}</legend>
      {mounts.map((mount, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
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
        icon={Plus}
        className="self-start"
        onClick={() => onChange([...mounts, { path: '', volume: '', isReadOnly: false, subPath: '' }])}
      >
        {t('deploy.addVolume')}
      </Button>
    </fieldset>
  );
}
