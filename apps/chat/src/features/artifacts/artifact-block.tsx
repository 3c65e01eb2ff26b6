import type { StepFrame } from '@berth/contract/agent';
import { type ReactNode, useMemo } from 'react';
import { findArtifact, findFileArtifact } from './artifact.ts';
import { ArtifactCard } from './artifact-card.tsx';
import { useArtifacts } from './artifacts-context.ts';
import { findWrittenPath } from './list-artifacts.ts';

export interface ArtifactBlockProps {
  readonly code: string;
  readonly language: string | undefined;
  /** True while the code grows. */
  readonly isLive: boolean;
  /** The code, shown unless it is an artifact. */
  readonly children: ReactNode;
}

/** A code block of an answer: a card when it is an artifact, else the code. */
export function ArtifactBlock({ code, language, isLive, children }: ArtifactBlockProps) {
  const artifacts = useArtifacts();
  const artifact = useMemo(
    () => artifacts && findArtifact(language, code, isLive),
    [artifacts, language, code, isLive],
  );
  if (artifact === 'pending') return null;
  if (!artifacts || !artifact) return children;
  return <ArtifactCard {...artifact} isLive={isLive} onOpen={() => artifacts.open(artifact)} />;
}

/** The card of a page or component that a step wrote to the workspace; nothing for other steps. */
export function WrittenArtifact({ step }: { readonly step: StepFrame }) {
  const artifacts = useArtifacts();
  const path = findWrittenPath(step);
  const artifact = path === undefined ? undefined : findFileArtifact(path, '');
  if (!artifacts || !artifact) return null;
  return <ArtifactCard kind={artifact.kind} title={artifact.title} onOpen={() => artifacts.openStep(step)} />;
}
