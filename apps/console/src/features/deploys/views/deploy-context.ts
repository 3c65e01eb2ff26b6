import type { Deployment } from '@berth/contract';
import { createContext } from 'react';

/** React context of the function that opens the deploy dialog: for `target`, or without it for a new deployment. */
export const DeployContext = createContext<(target?: Deployment) => void>(() => {});
