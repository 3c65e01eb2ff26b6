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

/** What the environment of an instance is made from. Source: docs/contract/control-plane.md §4. */
export interface InstanceEnvironmentInput {
  readonly deployment: string;
  readonly revision: string;
  readonly url: string;
  readonly volumes: readonly VolumeMount[];
  /** Where a volume is when that is not its mount path: by mount path. */
  readonly volumePaths?: Readonly<Record<string, string>>;
  /** Absent: not scheduled. */
  readonly cronToken?: string | undefined;
  /** Who says to the service who its callers are; absent: nobody. */
  readonly identity?: IdentityEnvironment | undefined;
  /** More prefixes for what `BERTH_` names, e.g. `ACME` for `ACME_VOLUMES`. */
  readonly prefixes: readonly string[];
  /** Of the revision. */
  readonly settings: Pick<DeploySettings, 'cpu' | 'memoryBytes' | 'concurrency' | 'sessionAffinity'>;
  /** What the owner set. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The whole environment of an instance besides `PORT`, which its runtime sets. */
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
    VOLUMES: volumes,
    ISSUER: identity?.issuer,
    JWKS: identity?.jwks,
    CRON_TOKEN: cronToken,
  };
  const { CRON_TOKEN: _, ...own } = prefixed;
  const platform = { ...plain, ...withPrefix('BERTH', own) };
  for (const prefix of input.prefixes) Object.assign(platform, withPrefix(prefix, prefixed));
  // The platform's come last: a prefix that the operator adds later wins over a variable that was set before.
  return { ...serverSize(input.settings), ...input.variables, ...defined(platform) };
}

/** Below this a worker of a common web framework has too little. */
const WORKER_BYTES = 512 * 2 ** 20;

/** The processes of a container are bounded, and each thread counts. */
const THREADS_MAX = 500;

/**
 * How many processes and threads a server should have, in the variables that servers, or Berth's start commands, take them from; owners may
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

/** The names that {@link instanceEnvironment} and the runtime set; an owner can't. */
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
