import { Untranslatable } from './sql-error.ts';
import { call, castTo, constantValue, integerConstant, type SqlNode, textConstant } from './sql-tree.ts';

/** Format elements that DuckDB writes differently. Source: GoogleSQL, "Format elements for date and time parts". */
const LONG_FORMS: Readonly<Record<string, string>> = {
  '%F': '%Y-%m-%d',
  '%T': '%H:%M:%S',
  '%X': '%H:%M:%S',
  '%R': '%H:%M',
  '%D': '%m/%d/%y',
  '%x': '%m/%d/%y',
  '%E3S': '%S.%g',
  '%E6S': '%S.%f',
  '%E4Y': '%Y',
  '%h': '%b',
  '%n': '\n',
  '%t': '\t',
};

/** Format elements with the same meaning in both. */
const SHARED = new Set('aAbBdHIjmMpSuUVwWyYG%'.split('').map((letter) => `%${letter}`));

/** Format elements that DuckDB lacks, composed of others. */
const MADE: Readonly<Record<string, (time: unknown) => SqlNode>> = {
  '%e': (time) => padded(strftime(time, '%-d')),
  '%k': (time) => padded(strftime(time, '%-H')),
  '%l': (time) => padded(strftime(time, '%-I')),
  '%P': (time) => call('lower', [strftime(time, '%p')]),
  '%s': (time) => castTo('VARCHAR', castTo('BIGINT', call('floor', [call('epoch', [time])]))),
  '%Q': (time) => castTo('VARCHAR', call('quarter', [time])),
  '%C': (time) => call('left', [strftime(time, '%Y'), integerConstant(2)]),
  '%E*S': (time) => call('regexp_replace', [strftime(time, '%S.%f'), textConstant('\\.?0+$'), textConstant('')]),
};

/** Format elements of the zone, for times in UTC. */
const ZONES: Readonly<Record<string, string>> = { '%Z': 'UTC', '%z': '+0000', '%Ez': '+00:00' };

const ELEMENT = /%(?:E(?:[*\d][SY]|z)|[\s\S]|$)/g;

/**
 * Formats a time by a pattern of the warehouse.
 * @param isUtc true when the time is shown in UTC, so that its zone is known.
 * @throws Untranslatable when the pattern is not a constant, or has an element that DuckDB can't produce.
 */
export function formatTime(name: string, pattern: unknown, time: unknown, isUtc: boolean): SqlNode {
  const pieces: SqlNode[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') pieces.push(strftime(time, plain));
    plain = '';
  };
  for (const piece of piecesOf(name, pattern)) {
    const known = longForm(piece) ?? (isUtc ? ZONES[piece]?.replaceAll('%', '%%') : undefined);
    if (known !== undefined) plain += known;
    else if (Object.hasOwn(MADE, piece)) {
      flush();
      pieces.push(MADE[piece]?.(time) as SqlNode);
    } else throw unknownElement(name, piece, pattern);
  }
  flush();
  if (pieces.length === 0) return textConstant('');
  return pieces.reduce((one, other) => call('||', [one, other], true));
}

/** Format elements that DuckDB parses under another name. */
const PARSED: Readonly<Record<string, string>> = { '%e': '%d', '%k': '%H', '%l': '%I', '%P': '%p', '%Ez': '%z' };
const YEARS = /%(?:[YyFDxsGC]|E4Y)/;

/**
 * Parses a text to a time without a zone, by a pattern of the warehouse. Parts that the pattern leaves out are those of
 * 1970-01-01 00:00:00.
 * @throws Untranslatable as {@link formatTime}.
 */
export function parseTime(name: string, pattern: unknown, text: unknown): SqlNode {
  const pieces = piecesOf(name, pattern);
  if (pieces.join('') === '%s') {
    return call('make_timestamp', [
      call('*', [castTo('BIGINT', text), castTo('BIGINT', textConstant('1000000'))], true),
    ]);
  }
  const write = (fraction: string) =>
    pieces
      .map((piece) => {
        if (piece === '%E*S' || piece === '%E3S' || piece === '%E6S') return fraction;
        const known = Object.hasOwn(PARSED, piece) ? PARSED[piece] : longForm(piece);
        if (known === undefined && piece !== '%z' && piece !== '%Z') throw unknownElement(name, piece, pattern);
        return known ?? piece;
      })
      .join('');
  // DuckDB's default year is 1900.
  const hasYear = pieces.some((piece) => YEARS.test(piece));
  const patterns = [...new Set([write('%S.%f'), write('%S')])].map((one) => textConstant(hasYear ? one : `%Y ${one}`));
  const read = hasYear ? text : call('||', [textConstant('1970 '), text], true);
  return call('strptime', [read, patterns.length === 1 ? patterns[0] : call('list_value', patterns)]);
}

/** The elements that `%c` stands for. */
const DATE_AND_TIME = ['%a', ' ', '%b', ' ', '%e', ' ', '%H', ':', '%M', ':', '%S', ' ', '%Y'];

/** Splits a pattern into elements and single characters. */
function piecesOf(name: string, pattern: unknown): readonly string[] {
  const text = constantValue(pattern);
  if (typeof text !== 'string') throw new Untranslatable(`The pattern of ${name} must be a text constant.`, pattern);
  const pieces = text.match(new RegExp(`${ELEMENT.source}|[^%]`, 'gu')) ?? [];
  return pieces.flatMap((piece) => (piece === '%c' ? DATE_AND_TIME : [piece]));
}

/** Returns DuckDB's form of a piece; undefined when a pattern can't express it. */
function longForm(piece: string): string | undefined {
  if (!piece.startsWith('%')) return piece;
  if (SHARED.has(piece)) return piece;
  return Object.hasOwn(LONG_FORMS, piece) ? LONG_FORMS[piece] : undefined;
}

function unknownElement(name: string, piece: string, pattern: unknown) {
  return new Untranslatable(`${name} cannot use ${piece} here.`, pattern);
}

function strftime(time: unknown, pattern: string): SqlNode {
  return call('strftime', [time, textConstant(pattern)]);
}

function padded(text: SqlNode): SqlNode {
  return call('lpad', [text, integerConstant(2), textConstant(' ')]);
}
