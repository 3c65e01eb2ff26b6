import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

/** A text that people read, and where it is. */
export interface Words {
  readonly kind: 'string' | 'doc comment' | 'prose';
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

/** Stands for a `${…}` of a template, so that a sentence stays one. */
const HOLE = '{}';

/**
 * Reads the strings and doc comments of TypeScript text. A string without a space is a wire code or a name, and is left out. In a
 * page's text files single words are labels, so `hasLabels` reads them too; their keys are names.
 * @throws Error when the text does not parse
 */
export function readSource(file: string, text: string, { hasLabels = false } = {}): Words[] {
  const { program, comments, errors } = parseSync(file, text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const lineAt = makeLineFinder(text);
  const words: Words[] = [];
  const add = (value: string, start: number) => {
    if (!(hasLabels || /\s/.test(value.trim())) || !/[a-z]{2}/i.test(value)) return;
    words.push({ kind: 'string', text: dropCode(value), line: lineAt(start) });
  };
  const keys = new Set<number>();
  new Visitor({
    Property: ({ key }) => {
      if (hasLabels) keys.add(key.start);
    },
    Literal: ({ value, start }) => {
      if (typeof value === 'string' && !keys.has(start)) add(value, start);
    },
    TemplateLiteral: ({ quasis, start }: ESTree.TemplateLiteral) =>
      add(quasis.map(({ value }) => value.cooked ?? value.raw).join(HOLE), start),
    JSXText: ({ value, start }) => add(value, start),
  }).visit(program);
  for (const { type, value, start } of comments) {
    if (type !== 'Block' || !value.startsWith('*')) continue;
    // A tag begins a sentence of its own; its parameter's name is not part of it.
    const prose = value.replace(/^\s*\* ?/gm, '').replace(/@(?:param|returns|throws)(?: \w+(?= [A-Z]?[a-z]))?/g, '. ');
    words.push({ kind: 'doc comment', text: dropCode(prose), line: lineAt(start) });
  }
  return words;
}

/** Reads the paragraphs, cells and headings of Markdown text, a line each. Blocks of code and code in a line are left out. */
export function readProse(text: string): Words[] {
  const words: Words[] = [];
  let fence: string | undefined;
  // Code in a line may be broken over two.
  const plain = text.replace(/(?<!`)`[^`\n]+\n[^`\n]+`(?!`)/g, '`code\ncode`');
  plain.split('\n').forEach((raw, index) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(raw)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return;
    }
    fence = mark;
    if (mark !== undefined) return;
    const prose = dropCode(raw.replace(/^[\s#>*-]+|^\d+\.\s/g, '').replace(/\]\([^)]*\)/g, ']')).trim();
    if (/[a-z]{2}/i.test(prose)) words.push({ kind: 'prose', text: prose, line: index + 1 });
  });
  return words;
}

/** Code keeps its place, so that a sentence that begins with it is not taken for another. */
function dropCode(text: string): string {
  return text.replace(/```[\s\S]*?```/g, '').replace(/(`+)[^`]+\1/g, '`code`');
}

function makeLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
