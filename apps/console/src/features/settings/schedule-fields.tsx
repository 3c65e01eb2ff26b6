import { useId } from 'react';
import { CodeNameField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { SettingsDraft } from './settings-draft.ts';

/** Props of a part of the settings form. */
export interface SettingsFieldsProps {
  readonly draft: SettingsDraft;
  onChange(draft: SettingsDraft): void;
  /** Error messages of the server by API field. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Fields for a cron expression and its time zone. A problem is shown at the field that it is about. */
export function ScheduleFields({ draft, onChange, problems }: SettingsFieldsProps) {
  const { t } = useConsoleTexts();
  const zonesId = useId();
  const hasZoneProblem = problems['schedule.timezone'] !== undefined || problems['timezone'] !== undefined;
  return (
    <>
      <CodeNameField
        label={t('setting.schedule')}
        hint={t('setting.schedule.hint')}
        problem={problems['schedule.cron'] ?? (hasZoneProblem ? undefined : problems['schedule'])}
        value={draft.cron}
        onChange={(cron) => onChange({ ...draft, cron })}
      />
      <CodeNameField
        label={t('setting.timezone')}
        hint={t('setting.timezone.hint')}
        problem={hasZoneProblem ? t('setting.timezone.unknown', { zone: draft.timezone }) : undefined}
        value={draft.timezone}
        onChange={(timezone) => onChange({ ...draft, timezone })}
        list={zonesId}
      />
      <datalist id={zonesId}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
