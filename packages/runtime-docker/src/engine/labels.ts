import type { InstanceSpec } from '@berth/runtime';

/** Label of everything that Berth creates in an engine. Its value is the id of the server that created it. */
export const SERVER_LABEL = 'berth.server';
/** Label with the id of the account that owns a network or a container. */
export const ACCOUNT_LABEL = 'berth.account';

/** Label with the digest of the plan that a container was created from: see `planDigest`. */
export const PLAN_LABEL = 'berth.plan';

/** The fields of a spec that a container's labels contain. */
export type LabelledSpec = Pick<InstanceSpec, 'owner' | 'revision' | 'instanceId'>;

/**
 * Returns the labels of a container. The instance id of a standby is that of the instance after whose start it was made; the name of the
 * container has the final id.
 * @param planDigest Undefined for a container that no later server may adopt.
 */
export function containerLabels(
  serverId: string,
  { owner, revision, instanceId }: LabelledSpec,
  planDigest: string | undefined,
): Record<string, string> {
  return {
    [SERVER_LABEL]: serverId,
    [ACCOUNT_LABEL]: owner.account,
    'berth.deployment': owner.deployment,
    'berth.revision': revision,
    'berth.instance': instanceId,
    ...(planDigest !== undefined && { [PLAN_LABEL]: planDigest }),
  };
}

/** Returns a filter for the engine's lists that matches what this server created. */
export function ofServer(serverId: string): { readonly label: string[] } {
  return { label: [`${SERVER_LABEL}=${serverId}`] };
}
