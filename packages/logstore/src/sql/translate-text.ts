/** A piece of a query's text. Blanks and comments are pieces of their own. */
interface Token {
  readonly kind: 'blank' | 'word' | 'quoted' | 'text' | 'backtick' | 'number' | 'mark';
  readonly text: string;
}

const TOKEN =
  /(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>[eE]?'(?:[^']|'')*(?:'|$)|\$(?<tag>\w*)\$[\s\S]*?(?:\$\k<tag>\$|$))|(?<quoted>"(?:[^"]|"")*(?:"|$))|(?<backtick>`[^`]*(?:`|$))|(?<number>\d[\w.]*)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<mark>[\s\S])/uy;

const KINDS = ['blank', 'text', 'quoted', 'backtick', 'number', 'word', 'mark'] as const;

/**
 * Puts what the engine's parser does not read into words that it does; the meaning of those is made in the tree, see
 * translate-tree.ts. All else stays as it is, to the letter, so that the engine's errors point at the caller's own text.
 * `` `a.b.logs` `` is a name, `SAFE_CAST` is `TRY_CAST`, `[OFFSET(n)]` names an element, `* EXCEPT (…)` leaves columns out,
 * `TIMESTAMP(x)` converts.
 */
export function translateText(sql: string): string {
  const tokens = tokenize(sql);
  const next = (from: number) => tokens.findIndex((token, index) => index > from && token.kind !== 'blank');
  const at = (index: number) => tokens[index]?.text.toUpperCase() ?? '';
  /** What stands before each open bracket. */
  const openers: string[] = [];
  let previous = '';
  let translated = '';
  tokens.forEach((token, index) => {
    const [following, afterNext] = [at(next(index)), at(next(next(index)))];
    translated += translate(token, { previous, next: following, afterNext, opener: openers.at(-1) ?? '' });
    if (token.text === '(') openers.push(previous);
    else if (token.text === ')') openers.pop();
    if (token.kind !== 'blank') previous = token.text.toUpperCase();
  });
  return translated;
}

/** How deep brackets stand in each other; what is in quotes and comments does not count. */
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

/** The warehouse's part of a date: the engine's of that name counts Sunday as 0. */
export const DAY_OF_WEEK = 'warehouse_dayofweek';

/** As many digits as the warehouse's type has. The engine's own NUMERIC has three after the point. */
const NUMERIC = 'DECIMAL(38, 9)';
const CASTS = new Set(['CAST', 'TRY_CAST', 'SAFE_CAST']);

const ELEMENTS = new Set(['OFFSET', 'ORDINAL', 'SAFE_OFFSET', 'SAFE_ORDINAL']);
/** After `EXCEPT (` these begin a query: then it is the set operation. */
const QUERIES = new Set(['SELECT', 'WITH', 'FROM', 'VALUES', 'TABLE', '(']);

/** The pieces around one, in upper case. */
interface Place {
  readonly previous: string;
  readonly next: string;
  readonly afterNext: string;
  /** Before the innermost bracket that is open. */
  readonly opener: string;
}

function translate({ kind, text }: Token, { previous, next, afterNext, opener }: Place): string {
  if (kind === 'backtick') return quoteName(text);
  if (kind !== 'word') return text;
  const word = text.toUpperCase();
  if (word === 'NUMERIC' && isType(previous, next, opener)) return NUMERIC;
  if (word === 'DAYOFWEEK' && opener === 'EXTRACT' && previous === '(') return DAY_OF_WEEK;
  if (next !== '(') return text;
  if (word === 'SAFE_CAST') return 'TRY_CAST';
  if (word === 'EXCEPT' && previous === '*' && !QUERIES.has(afterNext)) return 'EXCLUDE';
  if (previous === '[' && ELEMENTS.has(word)) return `element_${word.replace('SAFE_', '').toLowerCase()}`;
  if (word === 'TIMESTAMP') return 'warehouse_timestamp';
  return text;
}

/** `CAST(x AS NUMERIC)`, `x::NUMERIC`, `NUMERIC '1.5'`; anywhere else it is a name. */
function isType(previous: string, next: string, opener: string): boolean {
  if (next === '(') return false;
  return (previous === 'AS' && CASTS.has(opener)) || previous === ':' || next.startsWith("'");
}

function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sql.matchAll(new RegExp(TOKEN.source, 'gu'))) {
    const kind = KINDS.find((name) => match.groups?.[name] !== undefined) ?? 'mark';
    tokens.push({ kind, text: match[0] });
  }
  return tokens;
}

/** Of a path such as `project.dataset.logs` the last part: there is one dataset here, the caller's own. */
function quoteName(backticks: string): string {
  const name = backticks.replaceAll('`', '').split('.').at(-1) ?? '';
  return `"${name.replaceAll('"', '""')}"`;
}
