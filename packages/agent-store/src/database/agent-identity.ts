import { createError } from '@berth/contract';

/** Identifies the agent that data belongs to. Agents with different identities never share data. */
export interface AgentIdentity {
  /** The name under which the agent keeps its data: lower-case letters, digits and dashes, at most 63. */
  readonly name: string;
  /** Tells agents of the same name apart: `<account>/<deployment>` on the platform. */
  readonly project: string;
}

/**
 * Returns the error for data of an agent with the same name in another project.
 * @param place where the data is, e.g. `The data folder /data`.
 * @param instead what to do to keep data apart, e.g. `set BERTH_AGENT_DATA to a folder of its own`.
 */
export function otherProject(place: string, owner: AgentIdentity, own: string, instead: string) {
  return createError(
    'conflict',
    `${place} belongs to the agent "${owner.name}" of another project (${owner.project}); this is ${own}. ` +
      `To keep the two apart, rename this agent or ${instead}. ` +
      `If this is the same agent in a new place, set BERTH_AGENT_PROJECT=${owner.project} to continue with its data.`,
  );
}
