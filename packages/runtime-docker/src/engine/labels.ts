import type { InstanceSpec } from '@berth/runtime';

/** Ties what Berth makes in an engine to the server that made it. Its value is that server's id. */
export const SERVER_LABEL = 'berth.server';
/** Whose a network or a container is: the id of an account. */
export const ACCOUNT_LABEL = 'berth.account';

/** What a container was made of, by its digest: see `planDigest`. */
export const PLAN_LABEL = 'berth.plan';

/** What of a spec goes into the labels of its container. */
export type LabelledSpec = Pick<InstanceSpec, 'owner' | 'revision' | 'instanceId'>;

/**
 * The labels of a container. One that is made ahead of need gets the id of the instance it was made beside: which instance
 * it became is in its name.
 * @param planDigest undefined for one that no later server may take over.
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

/** Filter of the engine's lists: what this server made. */
export function ofServer(serverId: string): { readonly label: string[] } {
  return { label: [`${SERVER_LABEL}=${serverId}`] };
}
