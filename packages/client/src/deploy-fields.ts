import type { Schedule } from '@berth/contract';

/** A volume at a mount path: its name, or its name with how it is mounted. */
export type VolumeTarget = string | { readonly name: string; readonly read_only?: boolean; readonly sub_path?: string };

/**
 * The fields of the deploy form, named as on the wire. Source: spec control-plane 2. What is absent takes the
 * platform's default; `volumes` and `schedule` are whole declarations: what they leave out is detached or removed.
 * Numbers may also be given as text, and are then checked by the server.
 */
export interface DeployFields {
  readonly function_name: string;
  readonly volumes: Readonly<Record<string, VolumeTarget>>;
  readonly port?: number | string;
  readonly memory?: string;
  readonly cpu?: number | string;
  /** Seconds. */
  readonly timeout?: number | string;
  readonly concurrency?: number | string;
  readonly max_instances?: number | string;
  readonly session_affinity?: boolean;
  readonly use_http2?: boolean;
  /** With a bare cron string, `timezone` says its zone. */
  readonly schedule?: Schedule | string;
  readonly timezone?: string;
  /** `<volume>/<path>` of an archive that is in a volume already, in place of an upload. */
  readonly source_object?: string;
}

/** Settings of a deployment that change; what is absent stays as it is. `schedule: null` removes it. */
export type SettingsToChange = Omit<Partial<DeployFields>, 'function_name' | 'source_object' | 'schedule'> & {
  readonly schedule?: Schedule | string | null;
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
