import path from 'node:path';
import type { z } from 'zod';
import { findDnsFaults } from './acme-options.ts';
import type { Option } from './option.ts';
import { FOREIGN_VARIABLES, OPTIONS } from './options.ts';

type OptionName = keyof typeof OPTIONS;

const MASTER_KEY_SOURCES = ['masterKey', 'masterKeyFile', 'masterKeyCommand'] as const;

/** The values of all settings, read and validated once. */
export type Config = Readonly<{ [Name in OptionName]: z.output<(typeof OPTIONS)[Name]['schema']> }> & {
  /** Several servers may use the database at once: it is Postgres, and the objects are in a bucket or a folder that all of them reach. */
  readonly isShared: boolean;
};

/** Where a setting's value came from. */
export type ConfigSource = 'flag' | 'environment' | 'default';

/** The settings and where each value came from. */
export interface ConfigReading {
  readonly config: Config;
  readonly sources: Readonly<Record<OptionName, ConfigSource>>;
}

/** Input of {@link readConfig}. */
export interface ConfigInput {
  readonly flags: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The base of a relative data folder. */
  readonly workingFolder: string;
}

/** Reads the settings. Flags win over the environment. Returns all faults at once. */
export function readConfig(input: ConfigInput): ConfigReading | { readonly faults: readonly string[] } {
  const faults: string[] = [];
  const known = Object.values<Option>(OPTIONS);
  for (const flag of Object.keys(input.flags)) {
    const option = known.find((one) => one.flag === flag);
    if (!option) faults.push(`--${flag} is not an option; see --help`);
    else if (option.isVariableOnly) faults.push(`--${flag} would be visible to other users; set ${option.env} instead`);
  }
  for (const name of Object.keys(input.environment)) {
    if (!name.startsWith('BERTH_') || FOREIGN_VARIABLES.includes(name)) continue;
    if (!known.some((option) => option.env === name))
      faults.push(`${name} is not a setting of this version; see --help`);
  }

  const config: Record<string, unknown> = {};
  const sources: Record<string, ConfigSource> = {};
  for (const [name, option] of Object.entries<Option>(OPTIONS)) {
    const flag = input.flags[option.flag];
    const variable = input.environment[option.env] || undefined;
    const source: ConfigSource = flag !== undefined ? 'flag' : variable !== undefined ? 'environment' : 'default';
    const parsed = option.schema.safeParse(flag ?? variable);
    if (parsed.success) config[name] = parsed.data;
    else {
      const shown = source === 'flag' ? `--${option.flag}` : option.env;
      faults.push(...parsed.error.issues.map((issue) => `${shown}: ${issue.message}`));
    }
    sources[name] = source;
  }
  const { databaseUrl, s3Bucket, sharedFolder, smtpUrl, smtpFrom } = config as Partial<Config>;
  if ((smtpUrl === undefined) !== (smtpFrom === undefined)) {
    faults.push('BERTH_SMTP_URL and BERTH_SMTP_FROM must be set together');
  }
  if (sharedFolder !== undefined && databaseUrl === undefined) {
    faults.push('BERTH_SHARED_FOLDER is for several servers on one Postgres database: set BERTH_DATABASE_URL too');
  }
  if (sharedFolder !== undefined && s3Bucket !== undefined) {
    faults.push('BERTH_SHARED_FOLDER and BERTH_S3_BUCKET exclude each other: choose one place for volumes');
  }
  faults.push(...findDnsFaults(config as Partial<Config>));
  if ((config as Partial<Config>).runtime === 'kubernetes')
    faults.push(...findClusterFaults(config as Partial<Config>));
  const keys = MASTER_KEY_SOURCES.filter((name) => config[name] !== undefined).map((name) => OPTIONS[name].env);
  if (keys.length > 1) faults.push(`${keys.join(' and ')} are set: there is one master key, so set one of them`);
  if (faults.length > 0) return { faults };
  for (const name of ['dataFolder', 'sharedFolder'] as const) {
    if (config[name] !== undefined) config[name] = path.resolve(input.workingFolder, config[name] as string);
  }
  config['isShared'] = databaseUrl !== undefined && (s3Bucket ?? sharedFolder) !== undefined;
  return { config: Object.freeze(config) as Config, sources: sources as Record<OptionName, ConfigSource> };
}

/** Returns what a server on Kubernetes lacks. */
function findClusterFaults(config: Partial<Config>): string[] {
  const faults: string[] = [];
  if (config.databaseUrl === undefined) faults.push('BERTH_RUNTIME=kubernetes needs Postgres: set BERTH_DATABASE_URL');
  if ((config.s3Bucket ?? config.sharedFolder) === undefined) {
    faults.push('BERTH_RUNTIME=kubernetes needs storage for all servers: set BERTH_S3_BUCKET, or BERTH_SHARED_FOLDER');
  }
  for (const [name, option] of [
    ['registry', 'BERTH_REGISTRY'],
    ['builderImage', 'BERTH_BUILDER_IMAGE'],
  ] as const) {
    if (config[name] === undefined) faults.push(`BERTH_RUNTIME=kubernetes needs ${option}`);
  }
  if (config.gatewayWorkers) faults.push('BERTH_GATEWAY_WORKERS is for one machine: on Kubernetes, run more Pods');
  return faults;
}

/** Returns the settings as `--print-config` shows them: values, sources, secrets hidden. */
export function describeConfig({ config, sources }: ConfigReading): string {
  return Object.entries<Option>(OPTIONS)
    .map(([name, option]) => {
      const value = config[name as OptionName];
      const shown = option.isSecret && value !== undefined ? '(set, hidden)' : JSON.stringify(value ?? null);
      return `${option.env}=${shown}  # ${sources[name as OptionName]}`;
    })
    .join('\n');
}
