import { BerthError } from '@berth/kit';

/**
 * Has the session begun anew whose call to `path` was refused with 401.
 * @returns whether the call is to be made again; false for calls that no session would help
 * @throws the signal's reason
 */
export type RenewSession = (path: string, signal: AbortSignal | undefined) => Promise<boolean>;

/** Runs `work`, and once more where it is refused with 401 and the session could be renewed. */
export async function withSession<Value>(
  work: () => Promise<Value>,
  renew: (() => Promise<boolean>) | undefined,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!renew || !BerthError.is(error, 'unauthenticated') || !(await renew())) throw error;
    return work();
  }
}
