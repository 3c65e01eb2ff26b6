import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** A footnote reference in the text. */
export interface FootnoteMark extends Tokens.Generic {
  readonly type: 'footnote-mark';
  /** The text between `[^` and `]`. */
  readonly label: string;
}

/** A footnote. It renders where it was written, so that nothing moves while an answer grows. */
export interface Footnote extends Tokens.Generic {
  readonly type: 'footnote';
  readonly label: string;
}

/** A mark belongs to the word before it, with or without spaces between them. */
const MARK = /^[ \t]{0,4}\[\^([^\s\]^]{1,40})\]/;
/** A footnote ends at the next blank line or footnote. Source: GitHub, basic writing and formatting syntax. */
const NOTE = /^ {0,3}\[\^([^\s\]^]{1,40})\]:[ \t]*([^\n]*(?:\n(?! {0,3}\[\^[^\s\]^]+\]:)[ \t]*\S[^\n]*)*)(?:\n|$)/;

/** The marked extensions for footnotes. */
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
    start: (source) => /[ \t]{0,4}\[\^/.exec(source)?.index,
    tokenizer(source) {
      const [raw, label = ''] = MARK.exec(source) ?? [];
      return raw === undefined ? undefined : { type: 'footnote-mark', raw, label };
    },
  },
];
