import type { z } from 'zod';
import { onOff } from './value-schemas.ts';

/** A setting of the server: its variable, its type and its help text. */
export interface Option {
  /** `BERTH_…`; the flag is the same in kebab case without the prefix. */
  readonly env: string;
  readonly flag: string;
  readonly description: string;
  /** Parses the text of a flag or variable; `undefined` when it isn't given. */
  readonly schema: z.ZodType<unknown, string | undefined>;
  /** Never printed. */
  readonly isSecret?: boolean;
  /** Has no flag, because other users of the machine can read the command line. */
  readonly isVariableOnly?: boolean;
  /** The flag without a value means `true`. */
  readonly isSwitch?: boolean;
}

/** Returns a setting that is on or off. */
export function toggle(env: string, description: string, fallback = false) {
  return option(env, onOff(fallback), description, { isSwitch: true });
}

/** Returns a setting whose flag is named after its variable. */
export function option<Schema extends Option['schema']>(
  env: string,
  schema: Schema,
  description: string,
  extra: Pick<Option, 'isSecret' | 'isSwitch' | 'isVariableOnly'> = {},
): Option & { readonly schema: Schema } {
  const flag = env.replace('BERTH_', '').toLowerCase().replaceAll('_', '-');
  return { env, flag, schema, description, ...extra };
}

/** Returns the default of a setting as it would be typed; empty for none. */
export function defaultOf({ schema }: Option): string {
  const value = schema.parse(undefined);
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object'
    ? Object.entries(value ?? {})
        .map((pair) => pair.join('='))
        .join(',')
    : String(value);
}
