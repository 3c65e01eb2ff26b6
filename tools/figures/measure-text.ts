/** Lines of a text; an unfinished last line counts. */
export function countLines(text: string): number {
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Lines that hold a comment and nothing else. A comment behind code is not counted. */
export function countCommentLines(text: string): number {
  let isInBlock = false;
  let count = 0;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (isInBlock || line.startsWith('/*') || line.startsWith('//')) count++;
    if (isInBlock) isInBlock = !line.includes('*/');
    else if (line.startsWith('/*')) isInBlock = !line.includes('*/');
  }
  return count;
}

/** Exported declarations of a file, and those of them that have a doc comment directly above. */
export interface ExportCount {
  readonly exports: number;
  readonly documented: number;
}

const EXPORT = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) ([\w$]+)/;

/** A type that is derived from a constant of the same file: the constant's doc comment says what it is. */
const DERIVED = /^export type [\w$]+ = .*typeof ([\w$]+)/;

/** Counts exported functions, classes, interfaces, types and constants; overloads of a function are one. */
export function countExports(text: string): ExportCount {
  const lines = text.split('\n');
  const documented = new Map<string, boolean>();
  lines.forEach((line, index) => {
    const name = EXPORT.exec(line)?.[1];
    if (name !== undefined)
      documented.set(name, (documented.get(name) ?? false) || hasDocComment(lines, index) || isDerived(lines, index));
  });
  return { exports: documented.size, documented: [...documented.values()].filter(Boolean).length };
}

function isDerived(lines: readonly string[], index: number): boolean {
  const origin = DERIVED.exec(lines[index] as string)?.[1];
  const at = lines.findIndex((line) => new RegExp(`^(export )?const ${origin}\\b`).test(line));
  return origin !== undefined && at > 0 && hasDocComment(lines, at);
}

function hasDocComment(lines: readonly string[], index: number): boolean {
  if (!lines[index - 1]?.trim().endsWith('*/')) return false;
  for (let at = index - 1; at >= 0; at--) {
    const line = (lines[at] as string).trim();
    if (line.startsWith('/**')) return true;
    if (line.startsWith('/*')) return false;
  }
  return false;
}
