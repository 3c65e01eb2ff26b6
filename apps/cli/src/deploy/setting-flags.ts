import { SETTING_FIELDS, SETTINGS, type SettingField, settingFlags } from '@berth/contract/settings';
import type { OptionTable } from '../command/command.ts';
import type { OneFlagField, SettingOptions } from './deploy-options.ts';

/** The settings with one flag, whose value is sent as typed; the contract checks it. */
export const ONE_FLAG_FIELDS = SETTING_FIELDS.filter(hasOneFlag);

/** The flags of all settings, for `berth deploy` and `berth redeploy` alike: those with one flag first. */
export const SETTING_FLAGS: OptionTable = Object.fromEntries(
  [...ONE_FLAG_FIELDS, ...SETTING_FIELDS.filter((field) => !hasOneFlag(field))]
    .flatMap((field) => settingFlags(SETTINGS[field]))
    .map(({ flags, ...text }) => [flags, text]),
);

/** The value typed for a setting with one flag. */
export function optionOf(options: SettingOptions, field: OneFlagField): string | boolean | undefined {
  const key = SETTINGS[field].flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return options[key as keyof SettingOptions] as string | boolean | undefined;
}

/** The flags of the form fields that are no settings, where the flag has another name. */
const FORM_FLAGS: Readonly<Record<string, string>> = { function_name: 'name', 'source_archive.0': 'archive' };

/** The name of the flag that sets a field of the deploy form, such as `--max-instances`. */
export function flagOf(field: string): string {
  const flag = field in SETTINGS ? SETTINGS[field as SettingField].flag : FORM_FLAGS[field];
  return `--${flag ?? field.replaceAll('_', '-')}`;
}

function hasOneFlag(field: SettingField): field is OneFlagField {
  return field !== 'volumes' && field !== 'schedule';
}
