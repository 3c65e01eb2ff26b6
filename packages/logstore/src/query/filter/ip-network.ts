import { isIPv4, isIPv6 } from 'node:net';

/** An address is in a network when its hex digits begin with `digits`, and the digit after them is one of `next`. */
export interface NetworkTest {
  readonly operator: 'net';
  /** Number of hex digits of an address: 8 for IPv4, 32 for IPv6. */
  readonly length: 8 | 32;
  readonly digits: string;
  /** Undefined when the prefix ends with a whole digit. */
  readonly next: string | undefined;
}

const HEX = '0123456789abcdef';
/** IPv4-mapped IPv6. Source: RFC 4291 section 2.5.5.2. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for other texts. */
export function parseNetwork(text: string): NetworkTest | undefined {
  const [, address, given] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const digits = address === undefined ? undefined : hexDigits(address);
  if (digits === undefined) return undefined;
  const length = digits.length === 8 ? 8 : 32;
  const bits = given === undefined ? length * 4 : Number(given);
  if (bits > length * 4) return undefined;
  const whole = Math.floor(bits / 4);
  const rest = bits % 4;
  const first = Number.parseInt(digits.charAt(whole), 16) & (0xf << (4 - rest));
  const next = rest === 0 ? undefined : HEX.slice(first, first + 2 ** (4 - rest));
  return { operator: 'net', length, digits: digits.slice(0, whole), next };
}

/** Returns true when a text is an address in the network. */
export function isInNetwork(text: string, { length, digits, next }: NetworkTest): boolean {
  const own = hexDigits(text);
  if (own === undefined || own.length !== length || !own.startsWith(digits)) return false;
  return next === undefined || next.includes(own.charAt(digits.length));
}

function hexDigits(text: string): string | undefined {
  const address = text.replace(MAPPED, '');
  if (isIPv4(address))
    return address
      .split('.')
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('');
  // Addresses with a zone, or with IPv4 at the end, match no network.
  if (!isIPv6(address) || /[.%]/.test(address)) return undefined;
  const [left = '', right] = address.toLowerCase().split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right ? right.split(':') : [];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((part) => part.padStart(4, '0')).join('');
}

const V4 = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const H = '[0-9a-fA-F]{1,4}';
/** Nine forms: complete, or with `::` in one place. */
const V6_FORMS = [
  `(?:${H}:){7}${H}`,
  ...Array.from({ length: 8 }, (_, head) => {
    const tail = 7 - head;
    const left = head === 0 ? '' : `${H}(?::${H}){${head - 1}}`;
    const right = tail === 0 ? '' : `(?:${H}(?::${H}){0,${tail - 1}})?`;
    return `${left}::${right}`;
  }),
];

/** Returns {@link isInNetwork} as SQL of the text in `column`, which is SQL. */
export function networkSql(column: string, { length, digits, next }: NetworkTest): string {
  const [pattern, own] =
    length === 8 ? [`(?:::[fF]{4}:)?(?:${V4}\\.){3}${V4}`, v4Sql(column)] : [V6_FORMS.join('|'), v6Sql(column)];
  const claims = [
    `starts_with(${own}, '${digits}')`,
    ...(next === undefined ? [] : [`contains('${next}', substring(${own}, ${digits.length + 1}, 1))`]),
  ];
  return `CASE WHEN regexp_full_match(${column}, '${pattern}') THEN ${claims.join(' AND ')} ELSE false END`;
}

function v4Sql(column: string): string {
  const parts = `string_split(regexp_replace(${column}, '^::[fF]+:', ''), '.')`;
  return `array_to_string(list_transform(${parts}, lambda part: printf('%02x', part::INTEGER)), '')`;
}

function v6Sql(column: string): string {
  const side = (index: number) =>
    `list_filter(string_split(coalesce(string_split(lower(${column}), '::')[${index}], ''), ':'), lambda part: part <> '')`;
  const zeros = `list_transform(range(8 - len(${side(1)}) - len(${side(2)})), lambda part: '0')`;
  return `array_to_string(list_transform(${side(1)} || ${zeros} || ${side(2)}, lambda part: lpad(part, 4, '0')), '')`;
}
