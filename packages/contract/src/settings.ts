import { SETTINGS, type Setting } from './settings-table.ts';

export { SETTINGS, type Setting };

type Table = typeof SETTINGS;

/** The field of a setting on the wire and in `berth.json`. */
export type SettingField = keyof Table;

/** The kind of a setting, which determines its type and bounds. */
export type SettingKind = Setting['kind'];

/** The types of settings with a single value (a number, string or boolean), by kind. */
interface ValueByKind {
  integer: number;
  memory: string;
  cpu: number;
  boolean: boolean;
}

/** The fields of settings of the given kinds. */
export type FieldOf<Kind extends SettingKind> = {
  [F in SettingField]: Table[F]['kind'] extends Kind ? F : never;
}[SettingField];

/** The field of a setting with a single value. */
export type ValueField = FieldOf<keyof ValueByKind>;

/** The settings with a single value, by field name. `Types` gives the type of each kind. */
export type ValueFields<Types extends Record<keyof ValueByKind, unknown> = ValueByKind> = {
  readonly [F in ValueField]: Types[Table[F]['kind']];
};

/** The settings with a single value, by their property in `DeploySettings`. */
export type ValueSettings = { readonly [F in ValueField as Table[F]['property']]: ValueByKind[Table[F]['kind']] };

/** All fields, in the order of the table. */
export const SETTING_FIELDS = Object.keys(SETTINGS) as readonly SettingField[];

/** The fields of settings with a single value, in the order of the table. */
export const VALUE_FIELDS = SETTING_FIELDS.filter((field) => SETTINGS[field].default !== null) as readonly ValueField[];

/** The defaults of absent fields of a deploy form. Source: docs/contract/control-plane.md §2. */
export const DEPLOY_DEFAULTS = pickValues((field) => SETTINGS[field].default) as ValueFields;

/** {@link DEPLOY_DEFAULTS} by their property in `DeploySettings`. */
export const DEFAULT_SETTINGS = toValueSettings((field) => DEPLOY_DEFAULTS[field]);

/** Returns an object with the result of `read` for each field with a single value. */
export function pickValues<Value>(read: (field: ValueField) => Value): Readonly<Record<ValueField, Value>> {
  return Object.fromEntries(VALUE_FIELDS.map((field) => [field, read(field)])) as Record<ValueField, Value>;
}

/** Returns settings by property, with the value that `read` returns for each field. */
export function toValueSettings(read: (field: ValueField) => unknown): ValueSettings {
  return Object.fromEntries(VALUE_FIELDS.map((field) => [SETTINGS[field].property, read(field)])) as ValueSettings;
}

/** Returns the values of settings by field name. */
export function toValueFields(settings: ValueSettings): ValueFields {
  return pickValues((field) => settings[SETTINGS[field].property]) as ValueFields;
}

/** Maps each setting with the function for its kind, e.g. to the shape of a schema. */
export function mapSettings<Kinds extends { readonly [K in SettingKind]: (setting: Setting & { kind: K }) => unknown }>(
  kinds: Kinds,
): { readonly [F in SettingField]: ReturnType<Kinds[Table[F]['kind']]> } {
  const entries = Object.entries(SETTINGS).map(([field, setting]) => {
    const map = kinds[setting.kind] as (setting: Setting) => unknown;
    return [field, map(setting)];
  });
  return Object.fromEntries(entries) as { [F in SettingField]: ReturnType<Kinds[Table[F]['kind']]> };
}

/** Returns the bounds of a setting as strings, by their placeholder in its texts; empty for a setting without bounds. */
export function settingBounds(setting: Setting): Readonly<Record<string, string>> {
  if (!('min' in setting)) return {};
  const { min, max } = setting;
  const steps = 'steps' in setting ? { steps: setting.steps.join(', ') } : {};
  return { min: String(min), max: String(max), ...steps };
}

/** Returns the description of a setting, with its bounds filled in. */
export function describeSetting(setting: Setting): string {
  return fillBounds(setting.description, setting);
}

/** Returns the description for the API reference, where volumes, the schedule and the health check are strings. */
export function describeApiSetting(setting: Setting): string {
  return setting.apiDescription ?? describeSetting(setting);
}

/** A CLI flag that sets a setting or a part of one. */
export interface SettingFlag {
  /** The flag in Commander's syntax, e.g. `--port <number>`. */
  readonly flags: string;
  readonly description: string;
  /** True when the flag may be given more than once. */
  readonly isRepeatable?: boolean;
}

/** The placeholder of a flag's value, by the kind of its setting. */
const ARGUMENTS: Readonly<Record<SettingKind, string>> = {
  integer: ' <number>',
  memory: ' <size>',
  cpu: ' <number>',
  boolean: '',
  volumes: ' </path=name[:ro][:sub/path]>',
  schedule: ' <cron>',
  health: ' <path>',
};

/** Returns the flags of one setting. */
export function settingFlags(setting: Setting): readonly SettingFlag[] {
  const { kind, flag, offHelp, moreFlags = [] } = setting;
  const argument = 'unit' in setting ? ` <${setting.unit}>` : ARGUMENTS[kind];
  const fallback = setting.default === null || kind === 'boolean' ? '' : ` (${setting.default})`;
  const repeats = kind === 'volumes' ? { isRepeatable: true } : {};
  const on = {
    flags: `--${flag}${argument}`,
    description: `${fillBounds(setting.help, setting)}${fallback}`,
    ...repeats,
  };
  const off = offHelp === undefined ? [] : [{ flags: `--no-${flag}`, description: offHelp, ...repeats }];
  return [on, ...off, ...moreFlags.map(({ flags, help }) => ({ flags, description: help }))];
}

function fillBounds(text: string, setting: Setting): string {
  return Object.entries(settingBounds(setting)).reduce(
    (filled, [name, bound]) => filled.replace(`{${name}}`, bound),
    text,
  );
}
