import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** A mark in the text that leads to a footnote. */
export interface FootnoteMark extends Tokens.Generic {
  readonly type: 'footnote-mark';
  /** What stands between `[^` and `]`. */
  readonly label: string;
}

/** A footnote, where it was written: answers grow at their end, and nothing of them moves. */
export interface Footnote extends Tokens.Generic {
  readonly type: 'footnote';
  readonly label: string;
}

const MARK = /^\[\^([^\s\]^]{1,40})\]/;
/** Up to the next blank line, heading of a list of them, or mark. Source: GitHub, basic writing and formatting syntax. */
const NOTE = /^ {0,3}\[\^([^\s\]^]{1,40})\]:[ \t]*([^\n]*(?:\n(?! {0,3}\[\^[^\s\]^]+\]:)[ \t]*\S[^\n]*)*)(?:\n|$)/;

/** Footnotes, for marked. */
export const FOOTNOTES: readonly TokenizerAndRendererExtension[] = [
  {
    name: 'footnote',
    level: 'block',
    start: (source) => /\n {0,3}\[\^[^\s\]^]{1,40}\]:/.exec(source)?.index,
    tokenizer(source) {
      const [raw, label = '', text = ''] = NOTE.exec(source) ?? [];
      if (raw === undefined) return undefined;
      return { type: 'footnote', raw, label, tokens: this.lexer.inlineTokens(text.replaceAll(/\n[ \t]*/g, '\n')) };
    },
  },
  {
    name: 'footnote-mark',
    level: 'inline',
    start: (source) => /\[\^/.exec(source)?.index,
    tokenizer(source) {
      const [raw, label = ''] = MARK.exec(source) ?? [];
      return raw === undefined ? undefined : { type: 'footnote-mark', raw, label };
    },
  },
];
