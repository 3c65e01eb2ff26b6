import type { Deployment } from '@berth/contract';
import { createContext, useContext } from 'react';

/** Opens the deploy dialog: for `target`, or without it for a new deployment. */
export type ChooseSource = (target?: Deployment) => void;

/** React context of the function that opens the deploy dialog. */
export const DeployContext = createContext<ChooseSource>(() => {});

/** Returns the function that opens the deploy dialog. */
export function useChooseSource(): ChooseSource {
  return useContext(DeployContext);
}
