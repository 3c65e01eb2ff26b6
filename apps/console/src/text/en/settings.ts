import type { FieldOf, SettingField } from '@berth/contract/settings';
import type { Message } from '@berth/ui';

/** The settings that are written into a field, which has a hint. */
type WrittenField = Exclude<SettingField, FieldOf<'boolean' | 'volumes'>>;

/** A label for each setting, and a hint for each that is written into a field: a setting without them fails to compile. */
type SettingTexts = Readonly<Record<`settings.${string}`, Message>> &
  Readonly<
    Record<
      | `setting.${SettingField}`
      | `setting.${WrittenField}.hint`
      | 'setting.timezone'
      | 'setting.timezone.hint'
      | 'setting.timezone.unknown',
      string
    >
  >;

export const settings = {
  'setting.port': 'Port',
  'setting.port.hint': 'The port your app listens on (set as PORT)',
  'setting.memory': 'Memory',
  'setting.memory.hint': '{min}–{max}',
  'setting.cpu': 'CPUs',
  'setting.cpu.hint': '{min}–{max}, or {steps}',
  'setting.timeout': 'Request timeout (seconds)',
  'setting.timeout.hint': '{min}–{max}',
  'setting.concurrency': 'Concurrency per instance',
  'setting.concurrency.hint': 'Concurrent requests, {min}–{max}',
  'setting.max_instances': 'Max instances',
  'setting.max_instances.hint': '0 = automatic',
  'setting.min_instances': 'Min instances',
  'setting.min_instances.hint': 'Kept running and billed without requests',
  'setting.session_affinity': 'Session affinity',
  'setting.use_http2': 'Use HTTP/2 cleartext (h2c)',
  'setting.volumes': 'Volumes',
  'setting.schedule': 'Schedule',
  'setting.schedule.hint': 'Cron expression with five fields, e.g. 0 4 * * *. Empty for none.',
  'setting.timezone': 'Time zone',
  'setting.timezone.hint': 'IANA name, e.g. Europe/Berlin',
  'setting.timezone.unknown': 'Unknown time zone “{zone}”. Use an IANA name, e.g. Europe/Berlin.',
  'setting.health': 'Health check',
  'setting.health.hint': 'Path, e.g. /healthz. Empty for none.',
  'settings.text': 'Redeploys the current build with these settings. Traffic switches when the new revision is ready.',
  'settings.changes': { one: '{count} unsaved change', other: '{count} unsaved changes' },
  'settings.noChanges': 'No changes',
  'settings.invalid': 'Some settings are invalid. Correct the marked fields, then redeploy.',
  'settings.apply': 'Redeploy',
  'settings.reset': 'Discard',
  'settings.restart': 'Redeploy as is',
  'settings.restartHint': 'Starts a new revision from the current build with the latest variables.',
  'settings.notServing': 'There is no live revision to redeploy. Deploy a source with these settings.',
  'settings.withSource': 'Deploy these settings with a new source',
  'settings.noRights': 'Your role can view settings but not change them.',
} satisfies SettingTexts;
