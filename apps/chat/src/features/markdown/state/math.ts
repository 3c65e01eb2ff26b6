import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** A formula in TeX. */
export interface MathToken extends Tokens.Generic {
  readonly type: 'math';
  readonly text: string;
  /** On lines of its own. */
  readonly isBlock: boolean;
}

const BLOCK = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;
/** A dollar is money where a blank is inside of it, or a digit behind the second. Source: Pandoc, tex_math_dollars. */
const INLINE = /^(?:\$\$([^\n]+?)\$\$|\\\(([^\n]+?)\\\)|\$(?![\s$])((?:\\.|[^$\n\\`])*?(?:\\.|[^$\s\\`]))\$(?!\d))/;

function read(pattern: RegExp, source: string): MathToken | undefined {
  const found = pattern.exec(source);
  if (!found) return undefined;
  const [raw, ...texts] = found;
  const text = texts.find((one) => one !== undefined) ?? '';
  return { type: 'math', raw, text: text.trim(), isBlock: pattern === BLOCK };
}

const startOf = (pattern: RegExp) => (source: string) => pattern.exec(source)?.index;

/** Formulas between dollars, `\(…\)` and `\[…\]`, for marked. */
export const MATH: readonly TokenizerAndRendererExtension[] = [
  // A paragraph may end where one begins on a line of its own, and nowhere else.
  {
    name: 'math',
    level: 'block',
    start: startOf(/\n {0,3}(?:\$\$|\\\[)/),
    tokenizer: (source) => read(BLOCK, source),
  },
  { name: 'math', level: 'inline', start: startOf(/\$|\\\(/), tokenizer: (source) => read(INLINE, source) },
];
