/**
 * The variables that the platform sets for an instance, with their descriptions. Source: docs/contract/control-plane.md §4.
 */
export const SERVICE_VARIABLES = {
  PORT: 'Port to listen on',
  K_SERVICE: 'Name of the deployment',
  K_REVISION: 'Name of the revision',
  K_CONFIGURATION: 'The same as `K_SERVICE`',
  CRON_TOKEN: 'Secret that `POST /cron` carries in `X-Cron-Token`; only with a schedule',
} as const;

/**
 * The variables that the platform sets under each prefix: `BERTH_`, and those in the operator's `BERTH_ENV_PREFIXES`.
 * `CRON_TOKEN` is set without a prefix in place of `BERTH_CRON_TOKEN`.
 */
export const PREFIXED_SERVICE_VARIABLES = {
  URL: 'Address of the deployment',
  ACCOUNT_ID: 'Id of the account that the deployment belongs to',
  VOLUMES: 'JSON: mount path to `{name, read_only, sub_path}`',
  ISSUER: 'Address of the identity provider',
  JWKS: 'JSON Web Key Set of the identity provider',
  CRON_TOKEN: SERVICE_VARIABLES.CRON_TOKEN,
} as const;

export type ServiceVariable = keyof typeof SERVICE_VARIABLES;
export type PrefixedServiceVariable = keyof typeof PREFIXED_SERVICE_VARIABLES;

/** The pattern of names of variables that owners set. Source: docs/contract/control-plane.md §3. */
export const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;
