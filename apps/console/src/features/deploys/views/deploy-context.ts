import type { Deployment } from '@berth/contract';
import { createContext, useContext } from 'react';

/** Opens the dialog that deploys: something new, or another revision of what is there. */
export type ChooseSource = (target?: Deployment) => void;

export const DeployContext = createContext<ChooseSource>(() => {});

export function useChooseSource(): ChooseSource {
  return useContext(DeployContext);
}
