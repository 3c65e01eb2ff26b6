import { SETTINGS, type Setting } from './settings-table.ts';

export { SETTINGS, type Setting };

type Table = typeof SETTINGS;

/** The field of a setting on the wire and in `berth.json`. */
export type SettingField = keyof Table;

export type SettingKind = Setting['kind'];

/** The value of a setting that is one number, text or boolean, by its kind. */
interface ValueByKind {
  integer: number;
  memory: string;
  cpu: number;
  boolean: boolean;
}

/** The settings of some kinds. */
export type FieldOf<Kind extends SettingKind> = {
  [F in SettingField]: Table[F]['kind'] extends Kind ? F : never;
}[SettingField];

/** A setting that is one number, text or boolean. */
export type ValueField = FieldOf<keyof ValueByKind>;

/** The settings that are one value, under the names of their fields, each of the type that `Types` has for its kind. */
export type ValueFields<Types extends Record<keyof ValueByKind, unknown> = ValueByKind> = {
  readonly [F in ValueField]: Types[Table[F]['kind']];
};

/** The settings that are one value, under the names that they have in `DeploySettings`. */
export type ValueSettings = { readonly [F in ValueField as Table[F]['property']]: ValueByKind[Table[F]['kind']] };

/** Every setting, in the order of the table. */
export const SETTING_FIELDS = Object.keys(SETTINGS) as readonly SettingField[];

/** The settings that are one number, text or boolean. */
export const VALUE_FIELDS = SETTING_FIELDS.filter((field) => SETTINGS[field].default !== null) as readonly ValueField[];

/** Values of a deploy form's absent fields. Source: docs/contract/control-plane.md §2. */
export const DEPLOY_DEFAULTS = pickValues((field) => SETTINGS[field].default) as ValueFields;

/** The same under the names that they have in `DeploySettings`. */
export const DEFAULT_SETTINGS = toValueSettings((field) => DEPLOY_DEFAULTS[field]);

/** An object with what `read` returns for each setting that is one value. */
export function pickValues<Value>(read: (field: ValueField) => Value): Readonly<Record<ValueField, Value>> {
  return Object.fromEntries(VALUE_FIELDS.map((field) => [field, read(field)])) as Record<ValueField, Value>;
}

/** The settings with the values that `read` returns for their fields. */
export function toValueSettings(read: (field: ValueField) => unknown): ValueSettings {
  return Object.fromEntries(VALUE_FIELDS.map((field) => [SETTINGS[field].property, read(field)])) as ValueSettings;
}

/** The values of settings under the names of their fields. */
export function toValueFields(settings: ValueSettings): ValueFields {
  return pickValues((field) => settings[SETTINGS[field].property]) as ValueFields;
}

/** An object with what the function for its kind returns for each setting, such as the shape of a schema. */
export function mapSettings<Kinds extends { readonly [K in SettingKind]: (setting: Setting & { kind: K }) => unknown }>(
  kinds: Kinds,
): { readonly [F in SettingField]: ReturnType<Kinds[Table[F]['kind']]> } {
  const entries = Object.entries(SETTINGS).map(([field, setting]) => {
    const map = kinds[setting.kind] as (setting: Setting) => unknown;
    return [field, map(setting)];
  });
  return Object.fromEntries(entries) as { [F in SettingField]: ReturnType<Kinds[Table[F]['kind']]> };
}

/** The bounds of a setting as texts, under the names that stand for them in its texts. A setting without bounds has none. */
export function settingBounds(setting: Setting): Readonly<Record<string, string>> {
  if (!('min' in setting)) return {};
  const { min, max } = setting;
  const steps = 'steps' in setting ? { steps: setting.steps.join(', ') } : {};
  return { min: String(min), max: String(max), ...steps };
}

/** What a setting does, with its bounds filled in. */
export function describeSetting(setting: Setting): string {
  return fillBounds(setting.description, setting);
}

/** The same for the API reference, where volumes, the schedule and the health check are texts. */
export function describeApiSetting(setting: Setting): string {
  return setting.apiDescription ?? describeSetting(setting);
}

/** A flag of the command line that sets a setting, or a part of one. */
export interface SettingFlag {
  /** As Commander writes flags: `--port <number>`. */
  readonly flags: string;
  readonly description: string;
  /** True where the flag may be given more than once. */
  readonly isRepeatable?: boolean;
}

/** The word for the value of a flag, by the kind of its setting. */
const ARGUMENTS: Readonly<Record<SettingKind, string>> = {
  integer: ' <number>',
  memory: ' <size>',
  cpu: ' <number>',
  boolean: '',
  volumes: ' </path=name[:ro][:sub/path]>',
  schedule: ' <cron>',
  health: ' <path>',
};

/** The flags of one setting. */
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
