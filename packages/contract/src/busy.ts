/** The path of the question whether an instance works without a request. Source: docs/contract/control-plane.md §4. */
export const BUSY_PATH = '/.well-known/berth/busy';

/**
 * The header of the question to an instance that a newer revision has replaced; its value is `1`. The gateway takes it out of requests
 * of clients. Source: docs/contract/control-plane.md §4.
 */
export const REPLACED_HEADER = 'Berth-Replaced';

/** Maximum bytes of the answer. A longer body is no answer. */
export const BUSY_BODY_BYTES = 4_096;

/** The answer of a service to {@link BUSY_PATH}. */
export interface BusyAnswer {
  /** The instance has work in progress. */
  readonly busy: boolean;
  /** When the service expects to be done, as an RFC 3339 date-time. The platform asks again then, if not sooner. */
  readonly until?: string;
}

/** Returns the answer in a body, or undefined when the body is none: then the service doesn't have the route. */
export function parseBusyAnswer(body: string): BusyAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('busy' in value) || typeof value.busy !== 'boolean') {
    return undefined;
  }
  const { busy } = value;
  return 'until' in value && typeof value.until === 'string' ? { busy, until: value.until } : { busy };
}
