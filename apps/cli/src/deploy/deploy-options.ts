import type { SETTINGS, SettingField } from '@berth/contract/settings';
import type { OptionKey } from '../command/command.ts';

type Table = typeof SETTINGS;

/** A setting with one flag, whose value is sent as typed. */
export type OneFlagField = Exclude<SettingField, 'volumes' | 'schedule'>;

type OptionOf<Kind> = Kind extends 'boolean' ? boolean : Kind extends 'health' ? string | false : string;

type OneFlagOptions = {
  readonly [F in OneFlagField as OptionKey<Table[F]['flag']>]?: OptionOf<Table[F]['kind']>;
};

/** The flags of settings, as typed. False for a flag that was given with `--no-`. */
export interface SettingOptions extends OneFlagOptions {
  /** Every `--volume` in order; false for each `--no-volume`. */
  readonly volume?: readonly (string | false)[];
  readonly volumes?: string;
  readonly schedule?: string | false;
  readonly timezone?: string;
}

/** The flags of `berth deploy`, as typed. */
export interface DeployOptions extends SettingOptions {
  readonly name?: string;
  readonly sourceObject?: string;
  readonly archive?: string;
  readonly tag?: string;
  /** False with `--no-traffic`. */
  readonly traffic?: boolean;
  readonly canary?: string;
  readonly canaryFor?: string;
  readonly wait?: boolean;
  readonly detach?: boolean;
  readonly yes?: boolean;
}

/** The flags of `berth redeploy`, as typed. */
export interface RedeployOptions extends SettingOptions {
  readonly detach?: boolean;
  readonly yes?: boolean;
}
