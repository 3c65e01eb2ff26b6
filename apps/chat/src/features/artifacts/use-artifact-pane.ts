import type { Part } from '@berth/contract/agent';
import { useMemo, useRef, useState } from 'react';
import type { Artifact } from './artifact.ts';
import type { Artifacts } from './artifacts-context.ts';
import { listArtifacts } from './list-artifacts.ts';

/** The parts of each answer of a chat. */
export type AnswerParts = readonly (readonly Part[])[];

/** Returns the artifact that is open, and what opens another one. `onOpen` is called when one opens. */
export function useArtifactPane(answers: AnswerParts, onOpen: () => void = () => {}) {
  const [opened, setOpened] = useState<Artifact | undefined>();
  const latest = useRef({ answers, onOpen });
  latest.current = { answers, onOpen };
  const artifacts = useMemo<Artifacts>(() => {
    const open = (artifact: Artifact) => {
      latest.current.onOpen();
      setOpened(artifact);
    };
    return {
      open,
      openStep(step) {
        const found = listArtifacts(latest.current.answers).find(({ part }) => part === step);
        if (found) open(found.artifact);
      },
    };
  }, []);
  return { opened, artifacts, close: () => setOpened(undefined) };
}
