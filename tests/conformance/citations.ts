import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A `verifies(…)` call's mention of a requirement. */
export interface Citation {
  readonly id: string;
  /** Relative to the repo. */
  readonly file: string;
}

/** The ids that the `verifies(…)` calls of `text` name. */
export function findCitations(text: string): string[] {
  return [...text.matchAll(/\bverifies\(([^)]*)\)/g)].flatMap((call) =>
    [...(call[1] as string).matchAll(/['"]([^'"]+)['"]/g)].map((literal) => literal[1] as string),
  );
}

/** Every citation of the test files below `root`, and how many files were read. */
export function readCitations(root: string): { readonly files: number; readonly citations: readonly Citation[] } {
  const files = globSync(['tests/{acceptance,faults}/**/*.test.ts', '{packages,apps}/*/src/**/*.test.ts'], {
    cwd: root,
  });
  const citations = files.flatMap((file) =>
    findCitations(readFileSync(path.join(root, file), 'utf8')).map((id) => ({ id, file })),
  );
  return { files: files.length, citations };
}
