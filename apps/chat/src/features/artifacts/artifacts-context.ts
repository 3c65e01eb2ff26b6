import type { Part } from '@berth/contract/agent';
import { createContext, useContext } from 'react';
import type { Artifact } from './artifact.ts';

/** Opens artifacts beside the chat. */
export interface Artifacts {
  open(artifact: Artifact): void;
  /** Opens the file that a step of an answer wrote, as it was after the step. */
  openStep(step: Part): void;
}

/** The context of the pane for artifacts. Messages can be shown where there is none, e.g. in a file's preview. */
export const ArtifactsContext = createContext<Artifacts | undefined>(undefined);

/** Returns the pane for artifacts; undefined where the page has none. */
export const useArtifacts = () => useContext(ArtifactsContext);
