import type { Client } from '@berth/client';
import type { DeploymentDetail } from '@berth/contract';
import { deploymentNameProblem } from '@berth/contract/deployment-name';
import { useEffect, useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';

/** Result of checking a deployment name while it is typed. */
export interface NameCheck {
  /** Why the name can't be used. */
  readonly problem?: string | undefined;
  readonly isChecking: boolean;
  /** The account's own deployment with this name. */
  readonly own?: DeploymentDetail | undefined;
}

/** Pause in typing after which the server is asked. */
const PAUSE_MS = 250;

/** Checks whether a name is valid and available. */
export function useNameCheck(name: string): NameCheck {
  const [asked, setAsked] = useState(name);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(name), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name]);
  const problem = deploymentNameProblem(name);
  const read = async (client: Client, signal: AbortSignal) => {
    const query = { name: asked, existing: 'true' } as const;
    const { available, reason, exists } = await client.get('/v1/deployment/check-name', { params: { query }, signal });
    if (!available) return { problem: reason ?? '' };
    // A deployment that doesn't exist isn't asked for: the browser would log the 404.
    return { own: exists ? await client.findDeployment(asked, { signal }) : undefined };
  };
  const enabled = deploymentNameProblem(asked) === undefined;
  const { data, error } = useRead<Partial<NameCheck>>(QUERY_KEYS.deploymentName(asked), read, { enabled });
  if (problem !== undefined) return { problem: name === '' ? undefined : problem, isChecking: false };
  if (asked !== name || (!data && !error)) return { isChecking: true };
  if (error) return { problem: error.message, isChecking: false };
  return { ...data, isChecking: false };
}
