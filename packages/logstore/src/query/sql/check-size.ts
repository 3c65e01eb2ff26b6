import { queryError } from './sql-error.ts';
import { constantValue, isNode } from './sql-tree.ts';

/**
 * Maximum elements or characters that one call may produce at once. In FROM, the same functions produce any number, a
 * few thousand rows at a time.
 */
const MAX_MADE = 10_000_000;

type Args = readonly unknown[];

/** How much a call produces, as far as its arguments are constants; otherwise undefined. */
const MADE: Readonly<Record<string, (args: Args) => number | undefined>> = {
  range: steps,
  generate_series: steps,
  generate_array: steps,
  repeat: ([what, times]) => product(textLength(what), numberOf(times)),
  lpad: ([, length]) => numberOf(length),
  rpad: ([, length]) => numberOf(length),
  bar: ([, , , width]) => numberOf(width),
  bitstring: ([, length]) => numberOf(length),
  list_resize: ([, length]) => numberOf(length),
  array_resize: ([, length]) => numberOf(length),
  equi_width_bins: ([, , count]) => numberOf(count),
  printf: ([pattern]) => widest(pattern),
  format: ([pattern]) => widest(pattern),
};

/**
 * Refuses a call whose constant arguments ask for more than a query may hold. DuckDB allocates such a value at once,
 * which neither its memory limit nor an interrupt prevents (measured with DuckDB 1.5.6: `len(range(60000000))` took 4.8
 * GB). Computed arguments are left to the memory limit of the process; see processes/sql-host/bound-memory.ts.
 * @param name of the function, folded.
 */
export function checkSize(name: string, args: Args): void {
  const made = Object.hasOwn(MADE, name) ? (MADE[name]?.(args) ?? 0) : 0;
  if (made <= MAX_MADE) return;
  const [asked, possible] = [made, MAX_MADE].map((count) => count.toLocaleString('en-US'));
  throw queryError(
    `${name} would make ${asked} elements or characters at once; the limit is ${possible}. Use less, or range in FROM.`,
    'value_too_large',
  );
}

/** `range(stop)`, `range(start, stop)`, `range(start, stop, step)`. */
function steps(args: Args): number | undefined {
  const [first, second, third] = args.map(numberOf);
  const start = args.length === 1 ? 0 : first;
  const stop = args.length === 1 ? first : second;
  const step = args.length < 3 ? 1 : third;
  if (start === undefined || stop === undefined || !step) return undefined;
  return Math.ceil((stop - start) / step);
}

function product(one: number, other: number | undefined): number | undefined {
  return other === undefined ? undefined : one * other;
}

/** A list, or a computed value, counts as one. */
function textLength(node: unknown): number {
  const value = constantValue(node);
  return typeof value === 'string' ? value.length : 1;
}

/** Returns the largest width or precision in a pattern of `printf` or `format`. */
function widest(pattern: unknown): number | undefined {
  const text = constantValue(pattern);
  if (typeof text !== 'string') return undefined;
  const specifications = text.match(/%[^a-zA-Z%]*|\{[^}]*\}/g) ?? [];
  const numbers = specifications.flatMap((one) => one.match(/\d+/g) ?? []);
  return Math.max(0, ...numbers.map(Number));
}

/** Returns a whole number, also one with a sign or a cast. */
function numberOf(node: unknown): number | undefined {
  if (isNode(node) && node['class'] === 'CAST') return numberOf(node['child']);
  const negated = isNode(node) && node['function_name'] === '-' ? (node['children'] as Args) : [];
  if (negated.length === 1) {
    const positive = numberOf(negated[0]);
    return positive === undefined ? undefined : -positive;
  }
  // Numbers that JavaScript would round are kept as their digits.
  const number = Number(JSON.stringify(constantValue(node)));
  return Number.isNaN(number) ? undefined : number;
}
