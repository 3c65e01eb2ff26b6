/** The flags of `berth deploy`, as typed. */
export interface DeployOptions {
  readonly name?: string;
  readonly port?: string;
  readonly memory?: string;
  readonly cpu?: string;
  readonly timeout?: string;
  readonly concurrency?: string;
  readonly maxInstances?: string;
  readonly sessionAffinity?: boolean;
  readonly http2?: boolean;
  readonly volume?: readonly string[];
  readonly volumes?: string;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly sourceObject?: string;
  readonly archive?: string;
  readonly detach?: boolean;
  readonly yes?: boolean;
}
