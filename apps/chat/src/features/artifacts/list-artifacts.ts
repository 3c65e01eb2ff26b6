import type { Part, StepFrame } from '@berth/contract/agent';
import { type Artifact, findArtifact, findFileArtifact } from './artifact.ts';

/** An artifact of a chat, and the part of an answer that holds it. */
export interface ListedArtifact {
  readonly artifact: Artifact;
  readonly part: Part;
}

/** A fenced code block. Its fence may be indented by up to three spaces. Source: CommonMark 0.31, §4.5. */
const FENCED = /^ {0,3}(`{3,}|~{3,})[ \t]*(\w+)[^\n]*\n([\s\S]*?)\n {0,3}\1[`~]*[ \t]*$/gm;

/** Blocks of parts that were read before: while an answer streams, only its last part is read again. */
const blocksOfParts = new WeakMap<Part, readonly Artifact[]>();

/** Returns the artifacts of answers in the order they were written; those with the same key are versions of one artifact. */
export function listArtifacts(answers: readonly (readonly Part[])[]): readonly ListedArtifact[] {
  const files = new Map<string, string>();
  return answers.flat().flatMap((part) => {
    const found = part.type === 'step' ? fileOf(part, files) : blocksOf(part);
    return found.map((artifact) => ({ artifact, part }));
  });
}

function blocksOf(part: Part): readonly Artifact[] {
  const known = blocksOfParts.get(part);
  if (known) return known;
  const found = readBlocks(part).flatMap(([language, code]) => {
    const artifact = findArtifact(language, code);
    return artifact === undefined || artifact === 'pending' ? [] : [artifact];
  });
  blocksOfParts.set(part, found);
  return found;
}

function readBlocks(part: Part): readonly (readonly [language: string | undefined, code: string])[] {
  if (part.type === 'code') return [[part.language, part.code]];
  if (part.type !== 'text') return [];
  return [...part.text.matchAll(FENCED)].map(([, , language, code = '']) => [language, code]);
}

/** The path of the page or component that a step has written; undefined for any other step. */
export function findWrittenPath(step: StepFrame): string | undefined {
  if (step.ok !== true || (step.tool_name !== 'write_file' && step.tool_name !== 'edit_file')) return undefined;
  const { path } = argsOf(step);
  return typeof path === 'string' && findFileArtifact(path, '') !== undefined ? path : undefined;
}

/** Reads the file that a step wrote or edited; `files` has the contents after the steps before it. */
function fileOf(step: StepFrame, files: Map<string, string>): readonly Artifact[] {
  const path = findWrittenPath(step);
  if (path === undefined) return [];
  const { content, old_text: before, new_text: after, all } = argsOf(step);
  const last = files.get(path);
  const next =
    step.tool_name === 'write_file'
      ? content
      : last === undefined
        ? undefined
        : replace(last, before, after, all === true);
  if (typeof next !== 'string') return [];
  files.set(path, next);
  const artifact = findFileArtifact(path, next);
  return artifact ? [artifact] : [];
}

function replace(text: string, before: unknown, after: unknown, isAll: boolean): string | undefined {
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  return isAll ? text.replaceAll(before, () => after) : text.replace(before, () => after);
}

function argsOf({ args }: StepFrame): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(args ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
