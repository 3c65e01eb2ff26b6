import { readLiteral } from './read-literal.ts';
import { queryError, Untranslatable } from './sql-error.ts';

/** A token of a query's text. Blanks and comments are tokens too. */
interface Token {
  readonly kind: (typeof KINDS)[number];
  readonly text: string;
}

/**
 * `'…'` ends as in the warehouse, where a backslash escapes the quote; if it would not end at all, as in DuckDB.
 * DuckDB's `E'…'` and `$$…$$` stay as they are.
 */
const TOKEN =
  /(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<comment>#[^\n]*)|(?<literal>(?:[rR][bB]?|[bB][rR]?)?(?:'''[\s\S]*?(?<!\\)'''|"""[\s\S]*?(?<!\\)"""|'(?:\\[\s\S]|''|[^'\\])*'|"(?:\\[\s\S]|""|[^"\\])*"))|(?<text>[eE]?'(?:[^']|'')*(?:'|$)|\$(?<tag>\w*)\$[\s\S]*?(?:\$\k<tag>\$|$))|(?<quoted>"(?:[^"]|"")*(?:"|$))|(?<backtick>`[^`]*(?:`|$))|(?<number>\d[\w.]*)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<mark>[\s\S])/uy;

const KINDS = ['blank', 'comment', 'literal', 'text', 'quoted', 'backtick', 'number', 'word', 'mark'] as const;

/** A query that DuckDB's parser can read. */
export interface TranslatedText {
  readonly sql: string;
  /**
   * Returns the position of a piece of `sql` in the caller's query: `line 2, column 5`. @param byteOffset in UTF-8 from
   * the start of `sql`.
   */
  placeOf(byteOffset: number): string;
}

/**
 * Rewrites syntax that DuckDB's parser does not know; translate-tree.ts then implements its meaning. Everything else
 * stays exactly as it is, so that DuckDB's errors point at the caller's own text. `` `a.b.logs` `` is a name, `"…"` a
 * string unless only a name is possible there, `#` begins a comment, `SAFE_CAST` is `TRY_CAST`, `[OFFSET(n)]` selects
 * an element, `* EXCEPT (…)` leaves columns out, and `TIMESTAMP(x)` and similar functions convert.
 * @throws `invalid` at the query, with the position of what DuckDB can't express.
 */
export function translateText(sql: string): TranslatedText {
  const tokens = tokenize(sql);
  const next = (from: number) => tokens.findIndex((token, index) => index > from && !isBlank(token));
  const at = (index: number) => tokens[index]?.text.toUpperCase() ?? '';
  /** The token before each open bracket. */
  const openers: string[] = [];
  /** Start of each token in the translation (bytes) and in the query (characters). */
  const starts: { readonly to: number; readonly from: number }[] = [];
  let previous = '';
  let translated = '';
  let [from, to, skipped] = [0, 0, 0];
  tokens.forEach((token, index) => {
    const [following, afterNext] = [at(next(index)), at(next(next(index)))];
    const place = { previous, next: following, afterNext, opener: openers.at(-1) ?? '' };
    const weekday = weekPart(token, place);
    let piece: string;
    try {
      piece = skipped > 0 && !isBlank(token) ? '' : (weekday ?? translate(token, place));
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
      throw queryError(`${error.message} (${describePlace(sql, from)})`);
    }
    starts.push({ to, from });
    translated += piece;
    to += Buffer.byteLength(piece);
    from += token.text.length;
    if (skipped > 0 && !isBlank(token)) skipped--;
    else if (weekday !== undefined) skipped = 3;
    if (token.text === '(') openers.push(previous);
    else if (token.text === ')') openers.pop();
    if (!isBlank(token)) previous = token.text.toUpperCase();
  });
  return {
    sql: translated,
    placeOf(byteOffset) {
      const start = starts.findLast((one) => one.to <= byteOffset);
      return describePlace(sql, start?.from ?? 0);
    },
  };
}

function describePlace(sql: string, offset: number): string {
  const before = sql.slice(0, offset);
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`;
}

/** Returns the maximum nesting of brackets, outside of quotes and comments. */
export function nestingOf(sql: string): number {
  let depth = 0;
  let deepest = 0;
  for (const { kind, text } of tokenize(sql)) {
    if (kind !== 'mark') continue;
    if (text === '(' || text === '[') deepest = Math.max(deepest, ++depth);
    else if (text === ')' || text === ']') depth--;
  }
  return deepest;
}

/** Prefix of the names under which parts of dates, types and functions of the warehouse pass DuckDB's parser. */
export const WAREHOUSE = 'warehouse_';

/** As many digits as the warehouse's type has. DuckDB's NUMERIC has three fractional digits. */
const NUMERIC = 'DECIMAL(38, 9)';
const CASTS = new Set(['CAST', 'TRY_CAST', 'SAFE_CAST']);
/** Types whose casts differ from DuckDB's; see `translateCast`. */
const CAST_TYPES = new Set(['INT64', 'BOOL', 'BOOLEAN', 'STRING', 'BYTES']);
/** Type names that are functions too: DuckDB's parser would read some of them as casts. */
const TYPE_FUNCTIONS = new Set([...['TIMESTAMP', 'DATE', 'DATETIME', 'TIME', 'STRING', 'BOOL', 'INT64', 'FLOAT64']]);
/** Parts of EXTRACT that DuckDB lacks, or has with another meaning. */
const PARTS = new Set(['DAYOFWEEK', 'WEEK', 'ISOWEEK', 'MILLISECOND', 'MICROSECOND', 'DATE', 'TIME', 'DATETIME']);
const WEEKDAYS = new Set(['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']);

const ELEMENTS = new Set(['OFFSET', 'ORDINAL', 'SAFE_OFFSET', 'SAFE_ORDINAL']);
/** After `EXCEPT (`, these begin a query: EXCEPT is the set operation then. */
const QUERIES = new Set(['SELECT', 'WITH', 'FROM', 'VALUES', 'TABLE', '(']);
/** Tokens before a name. */
const BEFORE_NAMES = new Set(['AS', '.', 'FROM', 'JOIN', 'WITH', 'RECURSIVE']);
const NAME_LISTS = new Set(['EXCEPT', 'EXCLUDE', 'USING']);

/** The tokens around one, in upper case. */
interface Place {
  readonly previous: string;
  readonly next: string;
  readonly afterNext: string;
  /** The token before the innermost open bracket. */
  readonly opener: string;
}

function translate({ kind, text }: Token, place: Place): string {
  const { previous, next, afterNext, opener } = place;
  if (kind === 'backtick') return quoteName(text);
  if (kind === 'comment') return `--${text.slice(1)}`;
  if (kind === 'literal') return text.startsWith('"') && isName(place) ? text : readLiteral(text);
  if (kind === 'number') return /^0[xX][0-9a-fA-F]+$/.test(text) ? BigInt(text).toString() : text;
  if (kind !== 'word') return text;
  const word = text.toUpperCase();
  const isCastType = previous === 'AS' && CASTS.has(opener);
  if (word === 'NUMERIC' && next !== '(' && (isCastType || previous === ':' || /^R?['"]/.test(next))) return NUMERIC;
  if (word === 'TIMESTAMP' && next !== 'WITH' && (isCastType || /^R?['"]/.test(next))) return 'TIMESTAMPTZ';
  if (CAST_TYPES.has(word) && isCastType) return WAREHOUSE + word.toLowerCase();
  if (PARTS.has(word) && opener === 'EXTRACT' && previous === '(' && next === 'FROM')
    return WAREHOUSE + word.toLowerCase();
  if (word === 'WITH' && next === 'OFFSET') {
    throw new Untranslatable('WITH OFFSET is not supported. Unnest the positions: UNNEST(range(len(list))) AS place.');
  }
  if (next !== '(') return text;
  if (word === 'SAFE_CAST') return 'TRY_CAST';
  if (word === 'EXCEPT' && previous === '*' && !QUERIES.has(afterNext)) return 'EXCLUDE';
  if (previous === '[' && ELEMENTS.has(word)) return `element_${word.toLowerCase()}`;
  if (TYPE_FUNCTIONS.has(word) && !isCastType && previous !== ':') return WAREHOUSE + word.toLowerCase();
  return text;
}

/** Rewrites `EXTRACT(WEEK(MONDAY) FROM …)`, whose parentheses DuckDB's parser does not read. */
function weekPart({ text }: Token, { previous, next, afterNext, opener }: Place): string | undefined {
  const isWeek = text.toUpperCase() === 'WEEK' && opener === 'EXTRACT' && previous === '(' && next === '(';
  return isWeek && WEEKDAYS.has(afterNext) ? `${WAREHOUSE}week_${afterNext.toLowerCase()}` : undefined;
}

/** Returns true when `"…"` is where the grammar allows names only. */
function isName({ previous, next, opener, afterNext }: Place): boolean {
  if (BEFORE_NAMES.has(previous) || next === '.' || next === '(') return true;
  return NAME_LISTS.has(opener) || (next === 'AS' && afterNext === '(');
}

function isBlank({ kind }: Token): boolean {
  return kind === 'blank' || kind === 'comment';
}

function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sql.matchAll(new RegExp(TOKEN.source, 'gu'))) {
    const kind = KINDS.find((name) => match.groups?.[name] !== undefined) ?? 'mark';
    tokens.push({ kind, text: match[0] });
  }
  return tokens;
}

/** Returns the last part of a path such as `project.dataset.logs`: there is only one dataset here, the caller's own. */
function quoteName(backticks: string): string {
  const name = backticks.replaceAll('`', '').split('.').at(-1) ?? '';
  return `"${name.replaceAll('"', '""')}"`;
}
