import type { FieldOf, SettingField } from '@berth/contract/settings';

/** The settings that are written into a field, which has a hint. */
type WrittenField = Exclude<SettingField, FieldOf<'boolean' | 'volumes'>>;

/** A label for each setting, and a hint for each that is written into a field: a setting without them fails to compile. */
type SettingTexts = Readonly<
  Record<`setting.${SettingField}` | `setting.${WrittenField}.hint` | 'setting.timezone', string>
>;

export const settings = {
  'setting.port': 'Port',
  'setting.port.hint': 'What it listens on, given to it as PORT',
  'setting.memory': 'Memory',
  'setting.memory.hint': '{min} to {max}',
  'setting.cpu': 'CPUs',
  'setting.cpu.hint': '{min} to {max}, or {steps}',
  'setting.timeout': 'Longest request (seconds)',
  'setting.timeout.hint': '{min} to {max}',
  'setting.concurrency': 'Requests at once',
  'setting.concurrency.hint': 'That one instance serves, {min} to {max}',
  'setting.max_instances': 'Most instances',
  'setting.max_instances.hint': '0 leaves it to the platform',
  'setting.min_instances': 'Minimum instances',
  'setting.min_instances.hint': 'Kept running without requests, and billed all the time',
  'setting.session_affinity': 'Keep a visitor with one instance',
  'setting.use_http2': 'Speak HTTP/2 without TLS to it',
  'setting.volumes': 'Volumes',
  'setting.schedule': 'Schedule',
  'setting.schedule.hint': 'Five cron fields, such as 0 4 * * *; empty for none',
  'setting.timezone': 'Time zone',
  'setting.health': 'Health check',
  'setting.health.hint': 'A path such as /healthz; empty for none',
} satisfies SettingTexts;
