import type { Schedule, ValueFields } from '@berth/contract';

/** A volume at a mount path: its name, or its name with how it is mounted. */
export type VolumeTarget =
  | string
  | { readonly name: string; readonly read_only?: boolean | undefined; readonly sub_path?: string | undefined };

/** Accepted values of a setting, by its kind. Numbers given as text are checked by the server. */
interface GivenByKind {
  integer: number | string | undefined;
  memory: string | undefined;
  cpu: number | string | undefined;
  boolean: boolean | undefined;
}

/**
 * The fields of the deploy form, named as on the wire. Source: docs/contract/control-plane.md §2. An absent field takes the
 * platform's default; `volumes` and `schedule` are whole declarations: what they leave out is detached or removed.
 */
export interface DeployFields extends Partial<ValueFields<GivenByKind>> {
  readonly function_name: string;
  readonly volumes: Readonly<Record<string, VolumeTarget>>;
  /** With a bare cron string, `timezone` says its zone. */
  readonly schedule?: Schedule | string | undefined;
  readonly timezone?: string | undefined;
  /** An HTTP health check, times in seconds, or its path alone; null for none. */
  readonly health?:
    | string
    | { readonly path: string; readonly interval?: number | undefined; readonly timeout?: number | undefined }
    | null
    | undefined;
  /** `<volume>/<path>` of an archive that is in a volume already, in place of an upload. */
  readonly source_object?: string | undefined;
  /** A tag for the new revision, with an address of its own. */
  readonly tag?: string | undefined;
  /** Starts and checks the revision, and sends it no traffic. */
  readonly no_traffic?: boolean | undefined;
  /** Percentage of the traffic that the revision gets while it is watched. */
  readonly canary?: number | string | undefined;
  /** Seconds after which a canary that does well gets all traffic. */
  readonly canary_for?: number | undefined;
}

/** Settings of a deployment that change; what is absent stays as it is. `null` removes the schedule or the health check. */
export type SettingsToChange = Omit<
  DeployFields,
  'function_name' | 'source_object' | 'tag' | 'no_traffic' | 'canary' | 'canary_for' | 'schedule' | 'volumes'
> & {
  readonly volumes?: DeployFields['volumes'] | undefined;
  readonly schedule?: Schedule | string | null | undefined;
};

/** The fields as the form's texts. */
export function toFormFields(fields: DeployFields): Record<string, string> {
  const form: Record<string, string> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    form[key] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return form;
}
