/** The completions at a position. */
export interface Completion {
  /** Start of the replaced text, which ends at the caret, in UTF-16 units. */
  readonly from: number;
  readonly options: readonly CompletionOption[];
}

export interface CompletionOption {
  readonly text: string;
  readonly kind: 'field' | 'operator' | 'value' | 'word';
  /** Number of entries that have the value. */
  readonly count?: number;
  /** Short description, such as the type. */
  readonly about?: string;
}

/** Returns the completions of `text` at the caret; undefined where there are none. */
export type Complete = (text: string, caret: number) => Completion | undefined;

/** Returns the function that makes options of a kind from their texts. */
export const toOption =
  (kind: CompletionOption['kind']) =>
  (text: string): CompletionOption => ({ text, kind });

const OPTIONS_MOST = 50;

/** Returns the options that begin with the typed text, then those that contain it; none when an option is typed completely. */
export function matching(options: readonly CompletionOption[], written: string, from: number): Completion | undefined {
  const wanted = written.toLowerCase();
  // The typed text may lack the opening quote of an option.
  const plain = (text: string) => (wanted.startsWith('"') ? text : text.replace(/^"/, '')).toLowerCase();
  const begin = options.filter(({ text }) => plain(text).startsWith(wanted));
  const hold = options.filter(({ text }) => plain(text).indexOf(wanted) > 0);
  const fit = [...begin, ...hold].slice(0, OPTIONS_MOST);
  return fit.length === 0 || (fit.length === 1 && fit[0]?.text === written) ? undefined : { from, options: fit };
}

/** Returns `text` with the option inserted, and the position of the caret after it. */
export function applyCompletion(text: string, caret: number, from: number, option: CompletionOption) {
  // A keyword is followed by a space; a field by its operator, and a value by anything.
  const written = option.kind === 'word' ? `${option.text} ` : option.text;
  return { text: text.slice(0, from) + written + text.slice(caret), caret: from + written.length };
}
