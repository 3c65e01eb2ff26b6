import type { SettingField } from '@berth/contract';
import type { OptionSpec } from '../command/command.ts';
import type { SettingOptions } from './deploy-options.ts';

/** A setting that is one value on the command line. */
interface ValueFlag {
  readonly field: SettingField;
  /** The flag's name in the parsed options. */
  readonly key: keyof SettingOptions;
  readonly options: readonly OptionSpec[];
}

/** The flags of settings whose value is sent as typed; the contract checks it. */
export const VALUE_FLAGS: readonly ValueFlag[] = [
  valueFlag('port', 'port', '--port <number>', 'Port the service listens on, given to it as PORT (8080)'),
  valueFlag('memory', 'memory', '--memory <size>', 'Memory of an instance, 128Mi to 32Gi (1Gi)'),
  valueFlag('cpu', 'cpu', '--cpu <number>', 'CPUs of an instance: 0.08 to 1, or 2, 4, 6, 8 (1)'),
  valueFlag('timeout', 'timeout', '--timeout <seconds>', 'Request timeout, 1 to 3600 (600)'),
  valueFlag('concurrency', 'concurrency', '--concurrency <number>', 'Concurrent requests per instance, 1 to 1000 (80)'),
  valueFlag(
    'max_instances',
    'maxInstances',
    '--max-instances <number>',
    'Maximum instances, up to 1000; 0 = no fixed limit (0)',
  ),
  valueFlag(
    'min_instances',
    'minInstances',
    '--min-instances <number>',
    'Instances kept running without requests, billed all the time; at most --max-instances (0)',
  ),
  {
    field: 'session_affinity',
    key: 'sessionAffinity',
    options: [
      { flags: '--session-affinity', description: 'Send a visitor to the same instance' },
      { flags: '--no-session-affinity', description: 'Send a visitor to any instance' },
    ],
  },
  {
    field: 'use_http2',
    key: 'http2',
    options: [
      { flags: '--http2', description: 'Speak HTTP/2 without TLS (h2c) to the service' },
      { flags: '--no-http2', description: 'Speak HTTP/1.1 to the service' },
    ],
  },
  {
    field: 'health',
    key: 'health',
    options: [
      {
        flags: '--health <path>',
        description:
          'Path that answers 200 to 399 where an instance can serve, or JSON {path, interval, timeout} (none)',
      },
      { flags: '--no-health', description: 'Remove the health check' },
    ],
  },
];

/** The settings that are made of several flags. */
const COMPOSED_FLAGS: readonly OptionSpec[] = [
  {
    flags: '--volume </path=name[:ro][:sub/path]>',
    description: 'Mount a volume, at a path such as /data or /mnt/files; may be given more than once',
    isRepeatable: true,
  },
  { flags: '--no-volume', description: 'Detach all volumes that --volume does not name', isRepeatable: true },
  {
    flags: '--volumes <json>',
    description: 'All volumes as JSON, mount path to name or {name, read_only, sub_path}; others are detached',
  },
  { flags: '--schedule <cron>', description: 'Call POST /cron at these times, in five cron fields' },
  { flags: '--no-schedule', description: 'Remove the schedule' },
  { flags: '--timezone <zone>', description: 'Time zone of the schedule, such as Europe/Berlin (UTC)' },
];

/** The flags of all settings, for `berth deploy` and `berth redeploy` alike. */
export const SETTING_FLAGS: readonly OptionSpec[] = [
  ...VALUE_FLAGS.flatMap(({ options }) => options),
  ...COMPOSED_FLAGS,
];

/** The name of the flag that sets a field of the deploy form, such as `--max-instances`. */
export function flagOf(field: string): string {
  return FORM_FLAGS[field] ?? `--${field.replaceAll('_', '-')}`;
}

/** The flag of each form field whose name is not the flag's. */
const FORM_FLAGS: Readonly<Record<string, string>> = {
  function_name: '--name',
  use_http2: '--http2',
  'source_archive.0': '--archive',
  volumes: '--volume',
};

function valueFlag(field: SettingField, key: keyof SettingOptions, flags: string, description: string): ValueFlag {
  return { field, key, options: [{ flags, description }] };
}
