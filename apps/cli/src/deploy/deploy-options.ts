/** The flags of settings, as typed; `flags` of setting-flags.ts. False for a flag that was given with `--no-`. */
export interface SettingOptions {
  readonly port?: string;
  readonly memory?: string;
  readonly cpu?: string;
  readonly timeout?: string;
  readonly concurrency?: string;
  readonly maxInstances?: string;
  readonly minInstances?: string;
  readonly sessionAffinity?: boolean;
  readonly http2?: boolean;
  /** Every `--volume` in order; false for each `--no-volume`. */
  readonly volume?: readonly (string | false)[];
  readonly volumes?: string;
  readonly schedule?: string | false;
  readonly timezone?: string;
  readonly health?: string | false;
}

/** The flags of `berth deploy`, as typed. */
export interface DeployOptions extends SettingOptions {
  readonly name?: string;
  readonly sourceObject?: string;
  readonly archive?: string;
  readonly detach?: boolean;
  readonly yes?: boolean;
}

/** The flags of `berth redeploy`, as typed. */
export interface RedeployOptions extends SettingOptions {
  readonly detach?: boolean;
  readonly yes?: boolean;
}
