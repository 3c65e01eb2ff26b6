import path from 'node:path';
import type { z } from 'zod';
import { FOREIGN_VARIABLES, OPTIONS } from './options.ts';

type OptionName = keyof typeof OPTIONS;

/** The values of all settings, read and validated once. */
export type Config = Readonly<{ [Name in OptionName]: z.output<(typeof OPTIONS)[Name]['schema']> }> & {
  /** Several servers may use the database: it is in Postgres, and volumes and build results are in a place that all servers reach. */
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
  const known = Object.values(OPTIONS);
  for (const flag of Object.keys(input.flags)) {
    if (!known.some((option) => option.flag === flag)) faults.push(`--${flag} is not an option; see --help`);
  }
  for (const name of Object.keys(input.environment)) {
    if (!name.startsWith('BERTH_') || FOREIGN_VARIABLES.includes(name)) continue;
    if (!known.some((option) => option.env === name))
      faults.push(`${name} is not a setting of this version; see --help`);
  }

  const config: Record<string, unknown> = {};
  const sources: Record<string, ConfigSource> = {};
  for (const [name, option] of Object.entries(OPTIONS)) {
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
  if (config['s3Bucket'] !== undefined && config['sharedFolder'] !== undefined) {
    faults.push('BERTH_S3_BUCKET and BERTH_SHARED_FOLDER are both set; volumes can be in one of them');
  }
  if (faults.length > 0) return { faults };
  const { databaseUrl, s3Bucket, sharedFolder } = config;
  config['isShared'] = databaseUrl !== undefined && (s3Bucket ?? sharedFolder) !== undefined;
  if (sharedFolder !== undefined) config['sharedFolder'] = path.resolve(input.workingFolder, sharedFolder as string);
  config['dataFolder'] = path.resolve(input.workingFolder, config['dataFolder'] as string);
  return { config: Object.freeze(config) as Config, sources: sources as Record<OptionName, ConfigSource> };
}

/** Returns the settings as `--print-config` shows them: values, sources, secrets hidden. */
export function describeConfig({ config, sources }: ConfigReading): string {
  return Object.entries(OPTIONS)
    .map(([name, option]) => {
      const value = config[name as OptionName];
      const shown = option.isSecret && value !== undefined ? '(set, hidden)' : JSON.stringify(value ?? null);
      return `${option.env}=${shown}  # ${sources[name as OptionName]}`;
    })
    .join('\n');
}
