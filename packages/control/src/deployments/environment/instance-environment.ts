import type { IdentityEnvironment } from '@berth/accounts';
import {
  type DeploySettings,
  PREFIXED_SERVICE_VARIABLES,
  type PrefixedServiceVariable,
  SERVICE_VARIABLES,
  type ServiceVariable,
  type VolumeMount,
  volumeMountsToJson,
} from '@berth/contract';

/** The inputs of an instance's environment. Source: docs/contract/control-plane.md §4. */
export interface InstanceEnvironmentInput {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  readonly url: string;
  readonly volumes: readonly VolumeMount[];
  /** The actual folders of volumes that are not at their mount path, by mount path. */
  readonly volumePaths?: Readonly<Record<string, string>>;
  /** Absent: not scheduled. */
  readonly cronToken?: string | undefined;
  /** The identity provider; absent: none. */
  readonly identity?: IdentityEnvironment | undefined;
  /** Further prefixes beside `BERTH_`, e.g. `ACME` for `ACME_VOLUMES`. */
  readonly prefixes: readonly string[];
  /** The settings of the revision. */
  readonly settings: Pick<DeploySettings, 'cpu' | 'memoryBytes' | 'concurrency' | 'sessionAffinity'>;
  /** The owner's variables. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the environment of an instance, except `PORT`, which the runtime sets. */
export function instanceEnvironment(input: InstanceEnvironmentInput): Record<string, string> {
  const volumes = JSON.stringify(withPaths(volumeMountsToJson(input.volumes), input.volumePaths ?? {}));
  const { cronToken, identity } = input;
  const plain: Record<Exclude<ServiceVariable, 'PORT'>, string | undefined> = {
    K_SERVICE: input.deployment,
    K_REVISION: input.revision,
    K_CONFIGURATION: input.deployment,
    CRON_TOKEN: cronToken,
  };
  const prefixed: Record<PrefixedServiceVariable, string | undefined> = {
    URL: input.url,
    ACCOUNT_ID: input.account,
    VOLUMES: volumes,
    ISSUER: identity?.issuer,
    JWKS: identity?.jwks,
    CRON_TOKEN: cronToken,
  };
  const { CRON_TOKEN: _, ...own } = prefixed;
  const platform = { ...plain, ...withPrefix('BERTH', own) };
  for (const prefix of input.prefixes) Object.assign(platform, withPrefix(prefix, prefixed));
  // The platform's variables come last, so that a prefix added later wins over an older variable of the owner.
  return { ...serverSize(input.settings), ...input.variables, ...defined(platform) };
}

/** The least memory for a worker of a common web framework. */
const WORKER_BYTES = 512 * 2 ** 20;

/** A bound, because each thread counts against a container's process limit. */
const THREADS_MAX = 500;

/**
 * Returns the recommended number of processes and threads, in the variables that servers or Berth's start commands read; owners may
 * set others. One worker for each CPU, as far as the memory goes; one alone where visitors are kept with an instance, since several would
 * not share what they keep in memory.
 */
function serverSize({ cpu, memoryBytes, concurrency, sessionAffinity }: InstanceEnvironmentInput['settings']) {
  const most = sessionAffinity ? 1 : Math.min(Math.floor(memoryBytes / WORKER_BYTES), concurrency);
  return {
    WEB_CONCURRENCY: String(Math.max(1, Math.min(Math.floor(cpu), most))),
    WEB_THREADS: String(Math.min(concurrency, THREADS_MAX)),
  };
}

function withPaths(volumes: Readonly<Record<string, object>>, paths: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(volumes).map(([mountPath, volume]) => {
      const path = paths[mountPath];
      return [mountPath, path === undefined ? volume : { ...volume, path }];
    }),
  );
}

/** Returns the names that {@link instanceEnvironment} and the runtime set, which owners can't set. */
export function platformVariableNames(prefixes: readonly string[]): ReadonlySet<string> {
  const under = (prefix: string) => Object.keys(withPrefix(prefix, PREFIXED_SERVICE_VARIABLES));
  return new Set([...Object.keys(SERVICE_VARIABLES), ...['BERTH', ...prefixes].flatMap(under)]);
}

function withPrefix(prefix: string, variables: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${prefix}_${name}`, value]));
}

function defined(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
