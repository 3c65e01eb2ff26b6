import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletionIndex,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, SQLDialect, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completeSql, FUNCTIONS, KEYWORDS } from '../state/complete-sql.ts';

export interface EditorOptions {
  readonly value: string;
  readonly placeholder: string;
  /** Accessible name of the list of completions. */
  readonly completionsLabel: string;
  onChange(value: string): void;
  /** Called with the text on Ctrl+Enter or ⌘+Enter. */
  onSubmit(value: string): void;
}

/** Accessible name and description of the editor, and its underline. */
export interface EditorDescription {
  readonly label: string;
  /** The hint, or the problem. */
  readonly about: string;
  readonly hasProblem: boolean;
  /** Character offset of the problem; undefined where unknown. */
  readonly problemAt: number | undefined;
}

/** An SQL editor in the document. */
export interface Editor {
  /** Replaces the text, unless it is the same. */
  setValue(value: string): void;
  /** Replaces the selection, with a space before it where words would join, and focuses the editor. */
  insert(text: string): void;
  describe(description: EditorDescription): void;
  close(): void;
}

const words = (list: readonly string[]) =>
  list
    .join(' ')
    .toLowerCase()
    .replaceAll(/[^a-z_ ]/g, '');

const DIALECT = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: `${PostgreSQL.spec.keywords ?? ''} ${words(KEYWORDS)} ilike qualify exclude`,
  builtin: words(FUNCTIONS),
});

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
]);

const THEME = EditorView.theme({
  '&': { fontSize: '0.75rem', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.25rem', minHeight: '10rem' },
  '.cm-content': { padding: '0.375rem 0', caretColor: 'var(--ink)', minHeight: '10rem' },
  '.cm-line': { padding: '0 0.625rem' },
  '.cm-placeholder': { color: 'var(--ink-soft)' },
  '.cm-problem': {
    backgroundColor: 'var(--bad-soft)',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '0.5rem',
    boxShadow: '0 8px 24px rgb(0 0 0 / 0.18)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: 'none', minWidth: '16rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '0.75rem', padding: '0.25rem 0.5rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--hover)', color: 'var(--ink)' },
  '.cm-completionLabel': { flex: '1' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--ink-soft)', fontStyle: 'normal' },
  '@media (pointer: coarse)': {
    // Smaller text makes phones zoom in on focus.
    '&': { fontSize: '1rem' },
    '.cm-scroller': { lineHeight: '1.5rem' },
  },
});

const setProblem = StateEffect.define<number | undefined>();
const problemField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes, newDoc }) {
    const next = effects.find((effect) => effect.is(setProblem));
    if (!next) return marks.map(changes);
    if (next.value === undefined || newDoc.length === 0) return Decoration.none;
    // At the end of the text a word is missing; the character before it is underlined.
    const from = Math.min(next.value, newDoc.length - 1);
    const word = /^[\w.]+|^[\s\S]/.exec(newDoc.sliceString(from))?.[0] ?? '';
    return Decoration.set(Decoration.mark({ class: 'cm-problem' }).range(from, from + word.length));
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Number of completions shown: as many as fit without scrolling, which screen magnifiers and touch do badly in a list. */
const COMPLETIONS_MOST = 10;

function complete({ state, pos }: CompletionContext) {
  const found = completeSql(state.doc.toString(), pos);
  if (!found) return null;
  const options = found.options.slice(0, COMPLETIONS_MOST).map(({ text, kind, about }) => ({
    label: text,
    // A keyword is followed by a space.
    ...{ apply: kind === 'word' ? `${text} ` : text, ...(about !== undefined && { detail: about }) },
  }));
  return { from: found.from, options, filter: false };
}

/** Takes the selected completion, or else the first. Returns false without completions, so that Tab leaves the editor. */
function takeCompletion(view: EditorView): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  if (selectedCompletionIndex(view.state) === null) moveCompletionSelection(true)(view);
  return acceptCompletion(view);
}

/**
 * Creates an SQL editor inside `host`. It lives in a shadow root: there its styles are constructed sheets, which the
 * page's Content-Security-Policy allows, unlike `<style>` elements.
 */
export function createEditor(host: HTMLElement, options: EditorOptions): Editor {
  const { value, placeholder: hint, completionsLabel, onChange, onSubmit } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const attributes = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: value,
      extensions: [
        Prec.highest(
          keymap.of([
            {
              key: 'Mod-Enter',
              run(editor) {
                closeCompletion(editor);
                onSubmit(editor.state.doc.toString());
                return true;
              },
            },
            { key: 'Tab', run: takeCompletion },
          ]),
        ),
        history(),
        autocompletion({ override: [complete], selectOnOpen: false, icons: false, interactionDelay: 0 }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.domEventHandlers({
          // When the browser itself replaces colored text, it keeps the color in a `style` attribute, which the policy refuses.
          beforeinput(event, editor) {
            if (event.inputType !== 'insertText' || event.data === null || editor.state.selection.main.empty)
              return false;
            editor.dispatch(editor.state.replaceSelection(event.data), { userEvent: 'input.type' });
            return true;
          },
        }),
        EditorState.phrases.of({ Completions: completionsLabel }),
        sql({ dialect: DIALECT }),
        ...[bracketMatching(), syntaxHighlighting(COLORS), THEME, EditorView.lineWrapping],
        ...[placeholder(hint), problemField, attributes.of([])],
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
      ],
    }),
  });
  return {
    setValue(next) {
      const { doc } = view.state;
      if (next !== doc.toString()) view.dispatch({ changes: { from: 0, to: doc.length, insert: next } });
    },
    insert(text) {
      const { from, to } = view.state.selection.main;
      const written = /[\w)]$/.test(view.state.sliceDoc(0, from)) ? ` ${text}` : text;
      view.dispatch({ changes: { from, to, insert: written }, selection: { anchor: from + written.length } });
      view.focus();
    },
    describe({ label, about, hasProblem, problemAt }) {
      const described = { 'aria-label': label, 'aria-description': about, 'aria-invalid': String(hasProblem) };
      view.dispatch({
        effects: [
          setProblem.of(problemAt),
          attributes.reconfigure(EditorView.contentAttributes.of({ ...described, dir: 'ltr' })),
        ],
      });
    },
    close: () => view.destroy(),
  };
}
