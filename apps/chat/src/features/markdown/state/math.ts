import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** A TeX formula. */
export interface MathToken extends Tokens.Generic {
  readonly type: 'math';
  readonly text: string;
  /** True for a formula on lines of its own. */
  readonly isBlock: boolean;
}

const BLOCK = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;
/** A space after the first dollar sign or a digit after the second one means money. Source: Pandoc, tex_math_dollars. */
const INLINE = /^(?:\$\$([^\n]+?)\$\$|\\\(([^\n]+?)\\\)|\$(?![\s$])((?:\\.|[^$\n\\`])*?(?:\\.|[^$\s\\`]))\$(?!\d))/;

function read(pattern: RegExp, source: string): MathToken | undefined {
  const found = pattern.exec(source);
  if (!found) return undefined;
  const [raw, ...texts] = found;
  const text = texts.find((one) => one !== undefined) ?? '';
  return { type: 'math', raw, text: text.trim(), isBlock: pattern === BLOCK };
}

const startOf = (pattern: RegExp) => (source: string) => pattern.exec(source)?.index;

/** The marked extensions for formulas between dollar signs, `\(…\)` and `\[…\]`. */
export const MATH: readonly TokenizerAndRendererExtension[] = [
  // A block formula ends a paragraph only when it starts on a new line.
  {
    name: 'math',
    level: 'block',
    start: startOf(/\n {0,3}(?:\$\$|\\\[)/),
    tokenizer: (source) => read(BLOCK, source),
  },
  { name: 'math', level: 'inline', start: startOf(/\$|\\\(/), tokenizer: (source) => read(INLINE, source) },
];
